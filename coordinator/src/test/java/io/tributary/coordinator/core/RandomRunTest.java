package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.tributary.protocol.ChainHash;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SourceProgress;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random runs of the core with jobs that crash, are restored from old states and started without
 * any, coordinators that die, are paused and wake up beside their successors, and swaps and
 * messages whose answers are lost or that come late. Each group's source is a sequence of numbers;
 * the table must hold each exactly once and in order, whatever happens. A failure prints its seed.
 */
class RandomRunTest {
  private static final int RUNS = Integer.getInteger("tributary.random.runs", 60);
  private static final int STEPS = 400;

  @Test
  void theTableHoldsEachChangeOnceAndEachRoundIsPublishedOnce() {
    for (int seed = 0; seed < RUNS; seed++) {
      run(seed, Protections.all());
    }
  }

  /** What is left out must be missed, or the run proves nothing. */
  @ParameterizedTest
  @EnumSource(
      names = {
        "CHAIN_HASH",
        "HELLO_ORDER",
        "TERM_AND_OWNER",
        "CLAIM_AFTER_UNKNOWN",
        "TAIL_BEFORE_PUBLISH",
        "PUBLISH_BEFORE_NEXT",
        "PINNED_OFFSETS"
      })
  void leftOutARuleIsMissed(Protection protection) {
    for (int seed = 0; seed < 400; seed++) {
      try {
        run(seed, Protections.without(protection));
      } catch (AssertionError | IllegalStateException found) {
        return;
      }
    }
    fail("Nothing went wrong without " + protection);
  }

  private static void run(long seed, Protections protections) {
    World world = new World(seed, protections);
    try {
      for (int i = 0; i < STEPS; i++) {
        world.step();
      }
      world.settle();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  /** The table with its rows: what one metadata pointer points at. */
  private record Version(TableState state, Map<GroupName, List<long[]>> rows) {}

  private static final class World {
    final Random random;
    final Protections protections;
    final List<ControlMessage> topic = new ArrayList<>();
    final List<CommitStatus> published = new ArrayList<>();
    final List<Coordinator> coordinators = new ArrayList<>();
    final List<Job> jobs = new ArrayList<>();
    final Map<GroupName, Long> incarnations = new HashMap<>();
    final Map<GroupName, List<JobState>> checkpoints = new HashMap<>();
    final Deque<Runnable> late = new ArrayDeque<>();
    final List<TestGroup> groups =
        List.of(new TestGroup("a", "db1", 0), new TestGroup("b", "db2", 1));
    final Members members;
    Version table = new Version(CoreDriver.emptyTable(), Map.of());
    long deletedBelow;
    long producer;
    long ids;
    Instant now = Instant.parse("2030-01-01T00:00:00Z");
    boolean calm;

    World(long seed, Protections protections) {
      this.random = new Random(seed);
      this.protections = protections;
      this.members = CoreDriver.membersOf(groups.toArray(TestGroup[]::new));
      coordinators.add(new Coordinator(this));
    }

    UUID id() {
      return new UUID(1, ++ids);
    }

    boolean chance(int percent) {
      return !calm && random.nextInt(100) < percent;
    }

    void step() {
      now = now.plusMillis(random.nextInt(3_000));
      if (!late.isEmpty() && chance(10)) {
        late.remove().run();
      }
      if (chance(2)) {
        // A successor is started; the older one is dead, or just paused.
        if (chance(60) && !coordinators.isEmpty()) {
          coordinators.remove(coordinators.size() - 1);
        }
        coordinators.add(new Coordinator(this));
      }
      coordinators.removeIf(coordinator -> coordinator.core.isEnded());
      if (coordinators.isEmpty()) {
        coordinators.add(new Coordinator(this));
      }
      for (int i = 0; i < 4; i++) {
        int newest = coordinators.size() - 1;
        coordinators.get(chance(15) ? random.nextInt(newest + 1) : newest).step();
      }
      for (TestGroup group : groups) {
        if (chance(4) || newestJob(group).isEmpty()) {
          submit(group);
        }
      }
      for (Job job : List.copyOf(jobs)) {
        if (!job.isZombie() || chance(20)) {
          job.step();
        }
      }
    }

    Optional<Job> newestJob(TestGroup group) {
      return jobs.stream().filter(job -> job.group == group && !job.ended).reduce((x, y) -> y);
    }

    void submit(TestGroup group) {
      Optional<Job> before = newestJob(group);
      if (before.isPresent() && chance(60)) {
        jobs.remove(before.get());
      }
      List<JobState> states = checkpoints.getOrDefault(group.name, List.of());
      if (before.isPresent() && chance(50)) {
        // The cluster restarts the job itself.
        jobs.remove(before.get());
        jobs.add(
            new Job(
                this, group, before.get().incarnation, before.get().submission, before.get().last));
        return;
      }
      Optional<JobState> state =
          states.isEmpty() || calm || chance(40)
              ? Optional.empty()
              : Optional.of(
                  states.get(chance(20) ? random.nextInt(states.size()) : states.size() - 1));
      long incarnation = incarnations.merge(group.name, 1L, Long::sum);
      jobs.add(new Job(this, group, new Incarnation(incarnation), new SubmissionId(id()), state));
    }

    long send(ControlMessage message) {
      topic.add(message);
      return topic.size() - 1L;
    }

    boolean swap(TableState expected, TableState next, List<Layer> layers) {
      boolean same =
          protections.holds(Protection.TERM_AND_OWNER)
              ? table.state.equals(expected)
              : table.state.round().equals(expected.round());
      if (!same) {
        return false;
      }
      Map<GroupName, List<long[]>> rows = new HashMap<>(table.rows);
      for (Layer layer : layers) {
        for (Layer.Part part : layer.parts()) {
          CommittableManifest.Inline manifest =
              (CommittableManifest.Inline) part.slice().manifests().get(0);
          String[] range = new String(manifest.bytes(), StandardCharsets.UTF_8).split(" ");
          List<long[]> all = new ArrayList<>(rows.getOrDefault(part.group(), List.of()));
          long from = Long.parseLong(range[0]);
          assertThat(from)
              .as("rows of group %s go on in epoch %s", part.group(), part.epoch())
              .isEqualTo(all.isEmpty() ? 0 : all.get(all.size() - 1)[1]);
          all.add(new long[] {from, Long.parseLong(range[1])});
          rows.put(part.group(), all);
        }
      }
      if (next.round().compareTo(table.state.round()) > 0) {
        assertThat(published.size())
            .as("messages before round %s", next.round())
            .isEqualTo((int) table.state.round().value());
      }
      table
          .state
          .validThrough()
          .ifPresent(t -> assertThat(next.validThrough().orElseThrow()).isGreaterThanOrEqualTo(t));
      table = new Version(next, rows);
      return true;
    }

    void publish(CommitStatus status) {
      assertThat(status.round().value()).as("published round").isEqualTo(published.size() + 1L);
      assertThat(table.state.round()).isGreaterThanOrEqualTo(status.round());
      published.add(status);
    }

    private boolean allRun() {
      return groups.stream().allMatch(group -> newestJob(group).filter(j -> j.started).isPresent());
    }

    private boolean atRest() {
      return table.state.controlOffset() == topic.size()
          && published.size() == table.state.round().value();
    }

    /** No more faults: one coordinator, one new job for each group, and all must come to rest. */
    void settle() {
      calm = true;
      late.clear();
      coordinators.clear();
      coordinators.add(new Coordinator(this));
      jobs.clear();
      groups.forEach(this::submit);
      for (int i = 0; i < 400 && !allRun(); i++) {
        step();
      }
      for (int i = 0; i < 20; i++) {
        step();
      }
      jobs.forEach(job -> job.quiet = true);
      for (int i = 0; i < 400 && !atRest(); i++) {
        step();
      }
      for (TestGroup group : groups) {
        Job job = newestJob(group).orElseThrow();
        GroupState state = table.state.group(group.name).orElseThrow();
        assertThat(state.halt()).as("halt of group %s", group.name).isEmpty();
        assertThat(job.started).as("group %s runs", group.name).isTrue();
        assertThat(state.chain()).as("chain of group %s", group.name).isEqualTo(job.chain);
        long rows =
            table.rows.getOrDefault(group.name, List.of()).stream()
                .reduce((x, y) -> y)
                .map(range -> range[1])
                .orElse(0L);
        assertThat(rows).as("rows of group %s", group.name).isEqualTo(job.position);
        assertThat(rows).isPositive();
      }
      assertThat(published).hasSize((int) table.state.round().value());
      assertThat(coordinators).hasSize(1);
      assertThat(table.state.controlOffset()).isEqualTo(topic.size());
    }
  }

  /** What a checkpoint of a job holds. */
  private record JobState(Continuation chain, long position, List<Committable> unsent) {}

  private static final class Job {
    final World world;
    final TestGroup group;
    final Incarnation incarnation;
    final SubmissionId submission;
    final long helloOffset;
    final boolean continues;
    List<Committable> unsent = new ArrayList<>();
    Optional<JobState> last;
    boolean started;
    boolean ended;
    boolean quiet;
    Epoch epoch = new Epoch(0);
    ChainHash chain;
    long position;

    Job(
        World world,
        TestGroup group,
        Incarnation incarnation,
        SubmissionId submission,
        Optional<JobState> state) {
      this.world = world;
      this.group = group;
      this.incarnation = incarnation;
      this.submission = submission;
      this.last = state;
      this.continues = state.isPresent();
      this.chain = ChainHash.first(TestGroup.UUID_OF_TABLE, group.name);
      state.ifPresent(
          from -> {
            epoch = from.chain().epoch();
            chain = from.chain().chain();
            position = from.position();
            from.unsent().forEach(world::send);
          });
      helloOffset =
          world.send(
              new Hello(
                  TestGroup.TABLE,
                  group.name,
                  incarnation,
                  submission,
                  state.map(JobState::chain),
                  TestGroup.PROPOSAL,
                  group.shards,
                  1,
                  world.now));
    }

    boolean isZombie() {
      return world.newestJob(group).filter(newest -> newest == this).isEmpty();
    }

    void step() {
      if (ended || (!started && !gate())) {
        return;
      }
      if (quiet) {
        complete();
      } else if (world.random.nextInt(100) < 40) {
        seal();
        if (!world.chance(20)) {
          complete();
        }
      }
    }

    /** Reads nothing before the table shows its answer. */
    private boolean gate() {
      Optional<GroupState> found = world.table.state.group(group.name);
      if (found.isEmpty()
          || !found.get().incarnation().equals(incarnation)
          || !found.get().submission().equals(submission)
          || found.get().helloOffset() < helloOffset) {
        return false;
      }
      if (found.get().answer() == HelloAnswer.REFUSED) {
        ended = true;
        world.checkpoints.remove(group.name);
        return false;
      }
      if (!continues) {
        epoch = found.get().epoch();
        chain = found.get().chain();
        position =
            world
                .table
                .state
                .source(group.name, group.server)
                .map(SourcePosition::position)
                .orElse(0L);
      }
      started = true;
      return true;
    }

    private void seal() {
      long to = position + world.random.nextInt(4);
      List<Slice> slices =
          to == position
              ? List.of()
              : List.of(
                  Slice.of(
                      List.of(
                          CommittableManifest.Inline.of(
                              ManifestContent.DELETES,
                              (position + " " + to + " " + submission + " " + world.id())
                                  .getBytes(StandardCharsets.UTF_8))),
                      new FileCounts(1, to - position, 1, 1, 0, 0, 1)));
      List<ShardProgress> shards =
          group.shards.stream()
              .map(
                  shard ->
                      new ShardProgress(
                          shard,
                          group.server,
                          ShardPhase.ACTIVE,
                          Optional.of(new Watermark(world.now)),
                          0,
                          0,
                          Optional.empty()))
              .toList();
      List<SourceProgress> sources =
          List.of(new SourceProgress(group.server, Optional.of(SourcePosition.of("bin", to))));
      Epoch next = epoch.next();
      ChainHash hash =
          ChainHash.of(TestGroup.UUID_OF_TABLE, group.name, next, chain, slices, shards, sources);
      unsent.add(
          new Committable(
              TestGroup.TABLE,
              TestGroup.UUID_OF_TABLE,
              group.name,
              incarnation,
              submission,
              next,
              chain,
              hash,
              0,
              0,
              2,
              1,
              next.value(),
              world.now,
              slices,
              shards,
              sources));
      epoch = next;
      chain = hash;
      position = to;
    }

    /** A checkpoint is complete: what was sealed before is sent; the job may die on the way. */
    private void complete() {
      JobState state = new JobState(new Continuation(epoch, chain), position, List.copyOf(unsent));
      last = Optional.of(state);
      world.checkpoints.computeIfAbsent(group.name, name -> new ArrayList<>()).add(state);
      while (!unsent.isEmpty()) {
        if (world.chance(4)) {
          return;
        }
        world.send(unsent.remove(0));
      }
    }
  }

  private static final class Coordinator {
    final World world;
    final CoordinatorCore core;
    final Deque<Action> todo = new ArrayDeque<>();
    final Deque<Event> inbox = new ArrayDeque<>();
    long next = -1;
    long producer;

    Coordinator(World world) {
      this.world = world;
      this.core =
          new CoordinatorCore(
              new CoreSettings(
                  TestGroup.TABLE,
                  Duration.ofSeconds(1),
                  3,
                  Duration.ofHours(10),
                  Duration.ofSeconds(5),
                  10_000),
              world.members,
              world.protections);
      inbox.add(new Event.Started(new Term(0)));
    }

    void step() {
      if (!todo.isEmpty()) {
        perform(todo.remove());
      } else if (!inbox.isEmpty()) {
        handle(inbox.remove());
      } else if (next >= 0 && next < world.topic.size() && world.random.nextInt(10) < 9) {
        next = Math.max(next, world.deletedBelow);
        if (next < world.topic.size()) {
          handle(Event.Record.of(next, world.topic.get((int) next)));
          next++;
        }
      } else {
        if (next >= world.topic.size()) {
          handle(new Event.EndOfTopic(next));
        }
        handle(new Event.Tick());
      }
    }

    private void handle(Event event) {
      todo.addAll(core.handle(event, world.now, world.id()));
    }

    private void perform(Action action) {
      if (action instanceof Action.ReadTable) {
        inbox.add(
            new Event.TableRead(
                world.chance(5)
                    ? new TableLook.Unreachable("down")
                    : new TableLook.Present(world.table.state, new TableLayout(0, 2))));
      } else if (action instanceof Action.Claim claim) {
        swap(claim.expected(), claim.next(), List.of());
      } else if (action instanceof Action.CommitRound round) {
        swap(round.plan().expected(), round.plan().next(), round.plan().layers());
      } else if (action instanceof Action.OpenPublisher) {
        producer = ++world.producer;
        inbox.add(
            world.chance(5)
                ? new Event.PublisherUnreachable("down")
                : new Event.PublisherOpened(
                    world.published.isEmpty()
                        ? Optional.empty()
                        : Optional.of(tail(world.published.get(world.published.size() - 1)))));
      } else if (action instanceof Action.Publish publish) {
        boolean fenced = producer != world.producer;
        boolean lost = world.chance(10);
        if (!fenced && !(lost && world.random.nextBoolean())) {
          world.publish(publish.status());
        }
        inbox.add(
            new Event.PublishAnswered(
                fenced || lost
                    ? new PublishOutcome.NotConfirmed(fenced ? "fenced" : "lost")
                    : new PublishOutcome.Published()));
      } else if (action instanceof Action.ReadControlFrom read) {
        next = read.offset().orElse(0);
      } else if (action instanceof Action.DeleteControlRecordsBelow delete) {
        world.deletedBelow = Math.max(world.deletedBelow, delete.offset());
      } else if (action instanceof Action.StopTable stop) {
        fail("stopped: " + stop.reason());
      } else if (action instanceof Action.Raise raise && ownsTable()) {
        // Nobody loses a message here, and no job sends what does not follow.
        assertThat(raise.alarm().code())
            .as(raise.alarm().text())
            .isNotEqualTo(Alarm.Code.GROUP_HELD);
        assertThat(raise.alarm().text()).doesNotContain(": Cannot admit");
      }
    }

    /** A paused one may miss what its successor deleted. */
    private boolean ownsTable() {
      return core.ledger().filter(l -> l.owner().equals(world.table.state.owner())).isPresent();
    }

    private static StatusTail tail(CommitStatus status) {
      return new StatusTail(status.tableUuid(), status.round(), status.term());
    }

    private void swap(TableState expected, TableState next, List<Layer> layers) {
      int fate = world.calm ? 99 : world.random.nextInt(100);
      SwapOutcome outcome;
      if (fate < 5) {
        outcome = new SwapOutcome.Unreachable("down");
      } else if (fate < 12) {
        world.late.add(() -> world.swap(expected, next, layers));
        outcome = new SwapOutcome.Unknown("lost, on its way");
      } else if (fate < 20) {
        world.swap(expected, next, layers);
        outcome = new SwapOutcome.Unknown("lost, applied");
      } else if (world.swap(expected, next, layers)) {
        outcome =
            fate < 25 ? new SwapOutcome.Conflict(world.table.state) : new SwapOutcome.Done(next);
      } else {
        outcome = new SwapOutcome.Conflict(world.table.state);
      }
      inbox.add(new Event.SwapAnswered(outcome));
    }
  }
}
