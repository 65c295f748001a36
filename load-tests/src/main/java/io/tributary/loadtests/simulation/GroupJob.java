package io.tributary.loadtests.simulation;

import io.tributary.ingest.seal.EpochSealer;
import io.tributary.ingest.seal.HelloOutcome;
import io.tributary.ingest.seal.SchemaRequests;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.seal.SealerState;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.seal.StartRefusedException;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.ingest.source.SchemaWish;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.iceberg.Schema;

/**
 * One attempt of a submission of a group's job: readers, writers, checkpoints, and the production
 * sealer; the sender and the gate are modelled on the product's.
 */
final class GroupJob extends SimulatedProcess implements Reader.Output {
  /** What becomes of the next checkpoint. */
  enum CheckpointFate {
    NORMAL,
    /** Sealed, then aborted. */
    ABORTED,
    /** The writers close their files and the barrier does not reach the sealer. */
    ABORTED_MIDWAY,
    /** A savepoint that is never reported complete. */
    UNREPORTED,
    /** The job dies between the barrier and the completion. */
    CRASH
  }

  /**
   * What Flink keeps of a checkpoint.
   *
   * @param submission who wrote it
   * @param checkpoint its number
   */
  record State(
      SubmissionId submission,
      long checkpoint,
      SealerState sealer,
      Map<SourceId, Reader.State> readers) {}

  private static final int ROUND_TRIP = 60;

  /** A minute in the product. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private final GroupModel group;
  private final Submission submission;
  private final int attempt;
  private final EpochSealer sealer;
  private final List<Reader> readers = new ArrayList<>();
  private final Map<ShardId, List<ModelFile.Row>> copied = new TreeMap<>();
  private final Map<ShardId, Map<Integer, Long>> changed = new TreeMap<>();

  /** The table as each shard's writer loaded it. */
  private final Map<ShardId, TableSchemas> loaded = new TreeMap<>();

  /** What the first row lost that does not fit the file that is being written. */
  private final Map<ShardId, String> lost = new TreeMap<>();

  /** What writers closed since the last barrier, for new columns. */
  private final List<WriterResult> closedEarly = new ArrayList<>();

  private final SchemaRequests requests;
  private final Deque<ControlMessage> toSend = new ArrayDeque<>();
  private Optional<State> latest;
  private boolean restarting;
  private boolean sending;
  private Optional<String> ended = Optional.empty();
  private long checkpoint;
  private long helloOffset = -1;
  private CheckpointFate fate = CheckpointFate.NORMAL;
  private boolean diesWhileSending;
  private boolean losesNextMessage;
  private Optional<ShardId> foreignShard = Optional.empty();
  private Optional<ShardId> misplaced = Optional.empty();
  private long slowUntil;

  /** A writer found the schema of a row no more. */
  private boolean schemaGone;

  private GroupJob(
      World world, GroupModel group, Submission submission, int attempt, Optional<State> state) {
    super(world);
    this.group = group;
    this.submission = submission;
    this.attempt = attempt;
    this.latest = state;
    this.sealer = new EpochSealer(submission, state.map(State::sealer), world.rules.sealer());
    this.checkpoint = state.map(State::checkpoint).orElse(0L);
    for (SourcePlan plan : submission.sources()) {
      readers.add(
          new Reader(plan, world.server(plan.server()), submission.id(), world.rules.sealer()));
    }
    this.requests = new SchemaRequests(submission, PATIENCE, world.rules.sealer());
  }

  /** Starts a submission's first attempt. */
  static GroupJob start(
      World world, GroupModel group, Submission submission, Optional<State> state) {
    return begin(world, group, submission, 1, state);
  }

  private static GroupJob begin(
      World world, GroupModel group, Submission submission, int attempt, Optional<State> state) {
    GroupJob job;
    try {
      job = new GroupJob(world, group, submission, attempt, state);
    } catch (StartRefusedException e) {
      job = new GroupJob(world, group, submission, attempt, Optional.empty());
      job.end(e.getMessage());
      return job;
    }
    GroupJob started = job;
    world.timeline.note(() -> started + " is started" + (state.isPresent() ? " with state" : ""));
    job.run();
    return job;
  }

  @Override
  public String toString() {
    return "job " + group.name + "/" + submission.incarnation() + "." + attempt;
  }

  Submission submission() {
    return submission;
  }

  @Override
  boolean hasEnded() {
    return ended.isPresent();
  }

  /** Whether nobody restarts it but the operator. */
  boolean isGone() {
    return hasEnded() || (isDead() && !restarting);
  }

  boolean isOpen() {
    return sealer.isOpen() && readers.stream().allMatch(Reader::isStarted);
  }

  Optional<State> newestState() {
    return latest;
  }

  long lastSealed() {
    return sealer.epoch().value();
  }

  boolean waitsForColumns() {
    return readers.stream().anyMatch(Reader::isHeld);
  }

  List<Reader> readers() {
    return readers;
  }

  void decide(CheckpointFate next) {
    fate = next;
  }

  /** The shard of another group that it reads by mistake. */
  Optional<ShardId> foreignShard() {
    return foreignShard;
  }

  void readsForeign(Optional<ShardId> shard) {
    foreignShard = shard;
  }

  /** The next file of changes lies in another group's partition. */
  void misplaceNextFile(ShardId shard) {
    misplaced = Optional.of(shard);
  }

  void dieWhileSending() {
    diesWhileSending = true;
  }

  void loseNextMessage() {
    losesNextMessage = true;
  }

  /** Faults that were laid out and did not happen are over. */
  void calm() {
    fate = CheckpointFate.NORMAL;
    diesWhileSending = false;
    losesNextMessage = false;
    misplaced = Optional.empty();
    group.whenAsking = Optional.empty();
  }

  void slowDown(long millis) {
    slowUntil = world.timeline.now() + millis;
  }

  /** Whether it reads, and has read everything. */
  boolean isAtEnd() {
    return isAlive() && isOpen() && readers.stream().allMatch(Reader::isAtEnd);
  }

  /** Whether it has nothing more to read, to seal or to send. */
  boolean isAtRest() {
    return isAtEnd()
        && toSend.isEmpty()
        && sealer.unsentEpochs() == 0
        && group
            .ledger()
            .filter(state -> state.epoch().equals(sealer.epoch()))
            .filter(
                state ->
                    sealer
                        .continuation()
                        .filter(at -> at.chain().equals(state.chain()))
                        .isPresent())
            .isPresent();
  }

  String standing() {
    return "%s: alive %s, open %s, unsent %d, epoch %s, ended %s, in the table %s"
        .formatted(
            this,
            isAlive(),
            isOpen(),
            sealer.unsentEpochs(),
            sealer.epoch(),
            ended,
            group.ledger());
  }

  private void run() {
    // What the state has not sent goes first, then the hello.
    List<ControlMessage> first = new ArrayList<>(sealer.toSend());
    if (!sealer.isOpen()) {
      group.saidContinuation |= sealer.continuation().isPresent();
      if (world.rules.sealer().contains(SealerProtection.RESEND_BEFORE_HELLO)) {
        first.add(hello());
      } else {
        first.add(0, hello());
      }
    } else {
      startReaders(Optional.empty());
    }
    toSend.addAll(first);
    if (!world.rules.sealer().contains(SealerProtection.GATE) && latest.isEmpty()) {
      group.table().ifPresent(table -> startReaders(Optional.of(table)));
    }
    later(200, "sends", this::send);
    later(world.between(250, 450), "reads", this::read);
    later(world.between(700, 1_200), "has a checkpoint", this::checkpoint);
    later(3_000, "looks for a successor", this::lookForSuccessor);
  }

  private Hello hello() {
    return new Hello(
        World.TABLE,
        group.name,
        submission.incarnation(),
        submission.id(),
        sealer.continuation(),
        World.PROPOSAL,
        submission.shards(),
        submission.registryVersion(),
        world.timeline.instant());
  }

  /** Dies and is restarted by the cluster, from its newest checkpoint. */
  void crash() {
    kill();
    restarting = true;
    world.timeline.after(
        world.between(200, 1_500),
        this,
        "is restarted",
        () -> {
          if (isCurrent()) {
            group.current = Optional.of(begin(world, group, submission, attempt + 1, latest));
          }
        });
  }

  private void end(String why) {
    world.timeline.note(() -> this + " ends: " + why);
    ended = Optional.of(why);
  }

  // ------------------------------------------------------------------ sending

  private void send() {
    if (sending || toSend.isEmpty()) {
      return;
    }
    sending = true;
    if (world.kafkaDown || world.timeline.now() < slowUntil) {
      later(
          300,
          "tries to send again",
          () -> {
            sending = false;
            send();
          });
      return;
    }
    ControlMessage message = toSend.peek();
    if (diesWhileSending && message instanceof Committable) {
      diesWhileSending = false;
      world.tally.count(FaultKind.JOB_CRASH_WHILE_SENDING);
      world.tally.count(MatrixLine.DIES_WHILE_SENDING);
      if (world.chance(60)) {
        world.control.append(message);
        world.tally.count(MatrixLine.SENT_TWICE);
      }
      crash();
      return;
    }
    if (message instanceof SchemaRequest && isDisturbed(message)) {
      return;
    }
    long offset = world.control.append(message);
    if (losesNextMessage && message instanceof Committable) {
      losesNextMessage = false;
      world.tally.count(FaultKind.RECORD_LOST);
      world.control.lose(offset);
    }
    world.timeline.note(() -> this + " sent offset " + offset + ": " + brief(message));
    later(15, "hears of its message", () -> sent(message, offset));
  }

  private boolean isCurrent() {
    return group.current.filter(job -> job == this).isPresent();
  }

  /** What was laid out for a job that asks for columns. */
  private boolean isDisturbed(ControlMessage message) {
    if (!isCurrent()
        || group.whenAsking.isEmpty()
        || group.whenAsking.get() == FaultKind.RESTART_WHILE_ASKING) {
      return false;
    }
    FaultKind kind = group.whenAsking.get();
    group.whenAsking = Optional.empty();
    world.timeline.note(() -> this + " asks: " + kind);
    world.tally.count(kind);
    switch (kind) {
      case REQUEST_LOST -> {
        long offset = world.control.append(message);
        world.control.lose(offset);
        later(15, "hears of its message", () -> sent(message, offset));
      }
      case REQUEST_SENT_TWICE -> {
        world.control.append(message);
        long offset = world.control.append(message);
        later(15, "hears of its message", () -> sent(message, offset));
      }
      case JOB_CRASH_WHILE_ASKING -> {
        if (world.chance(50)) {
          world.control.append(message);
        }
        crash();
      }
      case ZOMBIE_ASKS -> {
        group.excuses.add(HaltCode.REWOUND);
        world.tally.count(MatrixLine.ZOMBIE);
        sending = false;
        stop();
        later(0, "sends", this::send);
        group.submit(world.chance(50) ? latest : Optional.empty());
        world.timeline.after(world.between(300, 4_000), this, "is woken", this::wake);
      }
      default -> throw new IllegalStateException("Cannot disturb a request by " + kind);
    }
    return true;
  }

  private static String brief(ControlMessage message) {
    return message instanceof Committable epoch
        ? "epoch " + epoch.epoch() + " " + epoch.chain().value().substring(0, 8)
        : message.toString();
  }

  private void sent(ControlMessage message, long offset) {
    sending = false;
    toSend.remove();
    if (message instanceof Committable epoch) {
      sealer.acknowledge(epoch.epoch());
    } else if (message instanceof Hello) {
      helloOffset = offset;
      later(250, "looks for its answer", this::lookForAnswer);
    }
    send();
  }

  private void lookForAnswer() {
    if (world.metastore.isDown()) {
      later(400, "looks for its answer", this::lookForAnswer);
      return;
    }
    Optional<TableState> table = group.table();
    HelloOutcome outcome = HelloOutcome.judge(submission, helloOffset, table);
    if (outcome instanceof HelloOutcome.Answered answered) {
      open(answered.table());
    } else if (outcome instanceof HelloOutcome.Superseded superseded) {
      world.tally.count(MatrixLine.ZOMBIE);
      end(superseded.message());
    } else if (outcome instanceof HelloOutcome.Lost lost) {
      world.timeline.note(() -> this + " says hello again: " + lost.reason());
      toSend.add(hello());
      send();
    } else {
      later(250, "looks for its answer", this::lookForAnswer);
    }
  }

  private void open(TableState table) {
    try {
      sealer.open(table, new TableLayout(table.tableUuid(), schemaId(table.tableUuid()), 0, 2));
    } catch (StartRefusedException e) {
      end(e.getMessage());
      return;
    }
    world.timeline.note(() -> this + " is open after epoch " + sealer.epoch());
    startReaders(Optional.of(table));
  }

  private int schemaId(TableUuid uuid) {
    TableVersion table = world.metastore.pointer();
    return table.uuid().equals(uuid) ? table.schemas().current().schemaId() : 0;
  }

  private void lookForSuccessor() {
    if (!world.metastore.isDown()) {
      Optional<HelloOutcome.Superseded> superseded =
          group.table().flatMap(table -> HelloOutcome.supersededBy(submission, table));
      if (superseded.isPresent()) {
        world.tally.count(MatrixLine.ZOMBIE);
        end(superseded.get().message());
        return;
      }
    }
    later(4_000, "looks for a successor", this::lookForSuccessor);
  }

  // ------------------------------------------------------------------ reading

  /**
   * @param table the state with the answer; absent within a submission that was answered before
   */
  private void startReaders(Optional<TableState> table) {
    for (Reader reader : readers) {
      if (reader.isStarted()) {
        continue;
      }
      Optional<Reader.State> known =
          latest.map(state -> state.readers().get(reader.id())).filter(Reader.State::started);
      if (known.isPresent()) {
        boolean ours = known.get().by().filter(submission.id()::equals).isPresent();
        boolean continues =
            table
                .flatMap(state -> state.group(group.name))
                .map(GroupState::answer)
                .filter(HelloAnswer.CONTINUE::equals)
                .isPresent();
        if (!ours && !continues) {
          end("its readers' state does not continue");
          return;
        }
        reader.restore(known.get());
      } else {
        Optional<TableState> from = table.or(group::table);
        if (from.isEmpty()) {
          end("no table to start from");
          return;
        }
        startFresh(reader, from.get());
      }
    }
  }

  private void startFresh(Reader reader, TableState table) {
    List<ShardId> active = new ArrayList<>();
    for (ShardId shard : reader.plan().shards()) {
      ShardPhase phase = table.shard(shard).map(ShardState::phase).orElse(ShardPhase.SNAPSHOT);
      if (phase == ShardPhase.ACTIVE) {
        active.add(shard);
      } else if (phase != ShardPhase.SNAPSHOT) {
        end("shard " + shard + " is " + phase);
        return;
      }
    }
    if (active.isEmpty()) {
      reader.startCopy();
      return;
    }
    Optional<SourcePosition> position = table.source(group.name, reader.plan().server());
    if (active.size() < reader.plan().shards().size() || position.isEmpty()) {
      end("server %s has some shards active and others not".formatted(reader.plan().server()));
      return;
    }
    reader.startFrom(position.get().position());
  }

  private void read() {
    for (Reader reader : readers) {
      if (world.calm || world.chance(85)) {
        int truncated =
            reader.read(
                world.timeline.now(),
                world.calm ? Integer.MAX_VALUE : (int) world.between(1, 9),
                table().map(TableVersion::schemas),
                this);
        if (truncated > 0) {
          world.tally.count(MatrixLine.SHARD_EMPTIED);
        }
      }
    }
    if (schemaGone) {
      crash();
      return;
    }
    for (Reader reader : readers) {
      for (SchemaWish wish : reader.wishes()) {
        requests.ask(wish, sealer.table(), world.timeline.instant()).ifPresent(toSend::add);
      }
    }
    send();
    later(world.between(350, 600), "reads", this::read);
  }

  /** The table that it works for, when the catalog shows it. */
  private Optional<TableVersion> table() {
    return world.metastore.isDown()
        ? Optional.empty()
        : Optional.ofNullable(world.metastore.pointer())
            .filter(table -> sealer.table().map(table.uuid()::equals).orElse(true));
  }

  @Override
  public void copied(Reader.Row row) {
    if (takes(row)) {
      copied
          .computeIfAbsent(row.shard(), any -> new ArrayList<>())
          .add(new ModelFile.Row(row.key(), row.value()));
    }
  }

  @Override
  public void changed(Reader.Row row) {
    if (takes(row)) {
      changed
          .computeIfAbsent(row.shard(), any -> new LinkedHashMap<>())
          .put(row.key(), row.value());
    }
  }

  /** A shard's writer loads the table anew at the first row of a schema that it does not know. */
  private boolean takes(Reader.Row row) {
    TableSchemas known = loaded.get(row.shard());
    if (known == null || !known.knows(row.schema())) {
      known =
          table()
              .map(TableVersion::schemas)
              .filter(schemas -> schemas.knows(row.schema()))
              .orElse(null);
      if (known == null) {
        schemaGone = true;
        return false;
      }
      // Its checkpoint is told at the barrier.
      close(WriterResult.END_OF_INPUT, row.shard()).ifPresent(closedEarly::add);
      loaded.put(row.shard(), known);
    }
    Checks.lost(row, known.current()).ifPresent(what -> lost.putIfAbsent(row.shard(), what));
    return true;
  }

  // ------------------------------------------------------------------ checkpoints

  private void checkpoint() {
    if (world.quiet) {
      later(900, "has a checkpoint", this::checkpoint);
      return;
    }
    long id = ++checkpoint;
    CheckpointFate now = fate;
    fate = CheckpointFate.NORMAL;
    for (Reader reader : readers) {
      if (reader.isStarted()) {
        sealer.mark(reader.id(), reader.atBarrier(id));
      }
    }
    closeFiles(id);
    later(world.between(850, 1_250), "has a checkpoint", this::checkpoint);
    if (now == CheckpointFate.ABORTED_MIDWAY) {
      world.timeline.note(() -> this + " has checkpoint " + id + " aborted midway");
      world.tally.count(FaultKind.CHECKPOINT_ABORTED_MIDWAY);
      world.tally.count(MatrixLine.ABORTED_BARRIER);
      return;
    }
    Optional<Committable> epoch = sealer.seal(id, world.timeline.instant());
    epoch.ifPresent(this::remember);
    Map<SourceId, Reader.State> states = new TreeMap<>();
    readers.forEach(reader -> states.put(reader.id(), stateOf(reader)));
    State state = new State(submission.id(), id, sealer.state(), states);
    switch (now) {
      case CRASH -> {
        world.tally.count(FaultKind.JOB_CRASH);
        world.tally.count(MatrixLine.DIES_BEFORE_CHECKPOINT);
        crash();
      }
      case ABORTED -> {
        world.timeline.note(() -> this + " has checkpoint " + id + " aborted");
        world.tally.count(FaultKind.CHECKPOINT_ABORTED);
        world.tally.count(MatrixLine.ABORTED_BARRIER);
      }
      case UNREPORTED -> {
        world.tally.count(FaultKind.SAVEPOINT_UNREPORTED);
        world.tally.count(MatrixLine.ABORTED_BARRIER);
        group.retained.add(state);
      }
      case NORMAL, ABORTED_MIDWAY -> {
        boolean waiting = waitsForColumns();
        later(world.between(40, 400), "completes a checkpoint", () -> complete(state, waiting));
      }
    }
  }

  /** Before the gate opens, what was restored is kept as it is. */
  private Reader.State stateOf(Reader reader) {
    return reader.isStarted()
        ? reader.state()
        : latest.map(state -> state.readers().get(reader.id())).orElseGet(reader::state);
  }

  private void complete(State state, boolean waiting) {
    latest = Optional.of(state);
    group.retained.add(state);
    if (waiting
        && isCurrent()
        && group.whenAsking.filter(FaultKind.RESTART_WHILE_ASKING::equals).isPresent()) {
      group.whenAsking = Optional.empty();
      world.tally.count(FaultKind.RESTART_WHILE_ASKING);
      kill();
      group.submit(latest);
      return;
    }
    toSend.addAll(sealer.complete(state.checkpoint()));
    send();
  }

  private void remember(Committable epoch) {
    Map<ShardId, Integer> reached = new TreeMap<>();
    for (Reader reader : readers) {
      if (reader.isWhole()) {
        for (ShardId shard : reader.plan().shards()) {
          boolean active =
              epoch.shards().stream()
                  .anyMatch(s -> s.shard().equals(shard) && s.phase() == ShardPhase.ACTIVE);
          if (active) {
            reached.put(shard, reader.index());
          }
        }
      }
    }
    world.checks.sealed(epoch, reached);
  }

  private void closeFiles(long id) {
    closedEarly.forEach(early -> sealer.add(early.at(id)));
    closedEarly.clear();
    for (Reader reader : readers) {
      for (ShardId shard : reader.plan().shards()) {
        close(id, shard).ifPresent(sealer::add);
      }
    }
  }

  private Optional<WriterResult> close(long id, ShardId shard) {
    List<ModelFile.Row> copies = Optional.ofNullable(copied.remove(shard)).orElse(List.of());
    Map<Integer, Long> changes = Optional.ofNullable(changed.remove(shard)).orElse(Map.of());
    if (copies.isEmpty() && changes.isEmpty()) {
      return Optional.empty();
    }
    long now = world.timeline.now();
    Schema schema = loaded.get(shard).current();
    Optional<String> missing = Optional.ofNullable(lost.remove(shard));
    Optional<WrittenFiles> appended =
        copies.isEmpty()
            ? Optional.empty()
            : Optional.of(
                world
                    .files
                    .write(group.name, shard, List.of(), copies, schema, now, missing)
                    .written());
    List<ModelFile.Row> rows = new ArrayList<>();
    changes.forEach(
        (key, value) -> {
          if (value != 0) {
            rows.add(new ModelFile.Row(key, value));
          }
        });
    ShardId partition = shard;
    if (!changes.isEmpty() && misplaced.isPresent()) {
      partition = misplaced.get();
      misplaced = Optional.empty();
      world.tally.count(FaultKind.FILE_MISPLACED);
    }
    Optional<WrittenFiles> upserted =
        changes.isEmpty()
            ? Optional.empty()
            : Optional.of(
                world
                    .files
                    .write(
                        group.name,
                        partition,
                        List.copyOf(changes.keySet()),
                        rows,
                        schema,
                        now,
                        missing)
                    .written());
    TreeMap<ShardId, Long> counts = new TreeMap<>();
    if (!copies.isEmpty()) {
      counts.put(shard, (long) copies.size());
    }
    TableLayout layout = new TableLayout(layoutOf(), schema.schemaId(), 0, 2);
    return Optional.of(new WriterResult(id, shard.value(), layout, appended, upserted, counts));
  }

  /** The table that the writers write for: the one whose answer opened the gate. */
  private TableUuid layoutOf() {
    return sealer
        .state()
        .chain()
        .map(chain -> chain.tableUuid())
        .orElseGet(() -> world.metastore.pointer().uuid());
  }
}
