package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Alarm;
import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.PublishOutcome;
import io.tributary.coordinator.core.StatusTail;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLook;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A coordinator's process: the production core, and around it what the product's loop does, one
 * action after the other, each taking time in which it may be killed or stopped.
 */
final class CoordinatorProcess extends SimulatedProcess {
  /** Where a process can be caught. */
  enum Step {
    COLUMNS_CHECKED,
    DATA_ROUND_CHECKED,
    IDLE_ROUND_CHECKED,
    CLAIM_CHECKED,
    SWAPPED,
    FENCED,
    BEFORE_MESSAGE,
    AFTER_MESSAGE
  }

  private static final int BATCH = 12;

  private final int number;
  private final CoordinatorCore core;
  private final LedgerAdapter ledger;
  private final Deque<Event> batch = new ArrayDeque<>();
  private final Deque<Action> todo = new ArrayDeque<>();
  private final List<Event> answers = new ArrayList<>();
  private final Set<OwnerId> claims = new HashSet<>();
  private boolean ended;
  private boolean busy;
  private boolean tickDue;
  private boolean sawNewer;

  /** Whether an action is under way whose answer is still to come. */
  private boolean waiting;

  private Members known;
  private long producer = -1;
  private long next = -1;

  CoordinatorProcess(World world, int number) {
    super(world);
    this.number = number;
    this.known = world.registry.members();
    this.ledger = new LedgerAdapter(world);
    this.core = new CoordinatorCore(World.SETTINGS, known, world.rules.core());
    TableVersion table = world.metastore.pointer();
    Term term =
        world.registry.countTerm(
            Optional.ofNullable(table)
                .flatMap(TableVersion::said)
                .map(TableState::term)
                .orElse(new Term(0)));
    later(20, "starts", () -> deliver(new Event.Started(term)));
    later(100, "polls", this::poll);
    later(700, "is ticked", this::tick);
  }

  @Override
  public String toString() {
    return "coordinator " + number;
  }

  @Override
  boolean hasEnded() {
    return ended;
  }

  boolean isReady() {
    return isAlive() && !isStopped() && core.stage().equals("READY");
  }

  private void tick() {
    tickDue = true;
    later(world.between(800, 1_100), "is ticked", this::tick);
  }

  private void poll() {
    later(world.between(90, 180), "polls", this::poll);
    if (busy) {
      return;
    }
    if (tickDue) {
      tickDue = false;
      deliver(new Event.Tick());
    } else if (!world.registry.isDown() && known != world.registry.members()) {
      known = world.registry.members();
      deliver(new Event.RegistryChanged(known));
    } else if (next >= 0 && !world.kafkaDown) {
      readControl();
    }
  }

  private void readControl() {
    if (next < world.control.first() || next > world.control.end()) {
      recordsGone();
      return;
    }
    List<Event> events = new ArrayList<>();
    while (next < world.control.end() && events.size() < BATCH) {
      Optional<ControlMessage> message = world.control.at(next);
      long offset = next;
      message.ifPresent(found -> events.add(Event.Record.of(offset, found)));
      next++;
    }
    if (next == world.control.end()) {
      events.add(new Event.EndOfTopic(next));
    }
    if (!events.isEmpty()) {
      busy = true;
      batch.addAll(events);
      pump();
    }
  }

  /** The product stops; only one that no longer owns the table may miss records. */
  private void recordsGone() {
    if (isOwner() && !world.mayStop()) {
      throw world.checks.violation(
          Invariant.STOP_HAS_CAUSE, this + " reads from offset " + next + ", which was deleted");
    }
    end("finds its records deleted");
  }

  private boolean isOwner() {
    TableVersion table = world.metastore.truth();
    return !world.metastore.isTampered()
        && table != null
        && core.ledger().filter(l -> l.owner().equals(table.state().owner())).isPresent();
  }

  private void end(String why) {
    world.timeline.note(() -> this + " ends: " + why);
    ended = true;
  }

  private void deliver(Event event) {
    busy = true;
    batch.add(event);
    pump();
  }

  private void pump() {
    while (isAlive()) {
      if (!todo.isEmpty()) {
        perform(todo.remove());
        if (waiting) {
          return;
        }
      } else if (!batch.isEmpty()) {
        handle(batch.remove());
      } else if (!answers.isEmpty()) {
        batch.addAll(answers);
        answers.clear();
      } else {
        busy = false;
        return;
      }
    }
  }

  private void answer(Event event) {
    waiting = false;
    answers.add(event);
    pump();
  }

  private void handle(Event event) {
    world.timeline.note(() -> this + " is told " + brief(event));
    try {
      todo.addAll(core.handle(event, world.timeline.instant(), world.nextId()));
    } catch (RuntimeException e) {
      throw new InvariantViolation(Invariant.NO_PROGRAM_FAULT, e);
    }
  }

  private static String brief(Event event) {
    String text = event.toString();
    return text.length() > 600 ? text.substring(0, 600) + "..." : text;
  }

  private void perform(Action action) {
    world.timeline.note(() -> this + " does " + brief(action));
    if (action instanceof Action.ReadTable) {
      waiting = true;
      later(20, "has read the table", () -> answer(new Event.TableRead(look())));
    } else if (action instanceof Action.CreateTable create) {
      waiting = true;
      claims.add(create.owner());
      later(40, "creates the table", () -> create(create));
    } else if (action instanceof Action.Claim claim) {
      mayChange("claims");
      claims.add(claim.next().owner());
      waiting = true;
      later(
          10,
          "checks its claim",
          () -> attempt(ledger.claim(claim.expected(), claim.next()), claim.next()));
    } else if (action instanceof Action.CommitRound commit) {
      mayChange("commits");
      waiting = true;
      later(
          10, "checks its round", () -> attempt(ledger.round(commit.plan()), commit.plan().next()));
    } else if (action instanceof Action.OpenPublisher) {
      waiting = true;
      later(15, "opens the status topic", this::open);
    } else if (action instanceof Action.Publish publish) {
      waiting = true;
      later(10, "looks whether its round can be read", () -> publish(publish.status()));
    } else if (action instanceof Action.ReadControlFrom read) {
      next = read.offset().orElse(world.control.first());
    } else if (action instanceof Action.DeleteControlRecordsBelow delete) {
      world.control.deleteBelow(delete.offset());
    } else if (action instanceof Action.Raise raise) {
      if (raise.alarm().code() == Alarm.Code.GROUP_HALTED && isOwner()) {
        GroupName group = raise.alarm().group().orElseThrow();
        world.checks.toldOfHalt(group, raise.alarm().text());
        world.group(group).alarm();
      }
    } else if (action instanceof Action.StopTable halt) {
      if (!world.mayStop()) {
        throw world.checks.violation(Invariant.STOP_HAS_CAUSE, this + ": " + halt.reason());
      }
      world.tally.count(MatrixLine.TABLE_TAMPERED);
      end(halt.reason());
    } else if (action instanceof Action.EndDeposed deposed) {
      world.tally.count(MatrixLine.TWO_COORDINATORS);
      takenOver();
      end(deposed.reason());
    }
  }

  /** A table with an older term was not taken over by anybody: it was restored. */
  private void takenOver() {
    TableVersion table = world.metastore.pointer();
    if (table != null
        && !table.stateless()
        && core.ledger().filter(l -> table.state().term().compareTo(l.term()) < 0).isPresent()) {
      throw world.checks.violation(
          Invariant.TAMPERING_NOTICED,
          "%s takes restored metadata of term %s for another coordinator's"
              .formatted(this, table.state().term()));
    }
  }

  private static String brief(Action action) {
    String text = action.toString();
    return text.length() > 900 ? text.substring(0, 900) + "..." : text;
  }

  private void mayChange(String what) {
    if (sawNewer) {
      throw world.checks.violation(
          Invariant.DEPOSED_ENDS, this + " " + what + " after it was told of a newer one");
    }
  }

  private TableLook look() {
    TableLook look = ledger.look();
    if (look instanceof TableLook.Present present) {
      saw(present.state());
    }
    return look;
  }

  /** Whoever has claimed and then reads another's claim is deposed. */
  private void saw(TableState found) {
    sawNewer |=
        core.ledger().isPresent()
            && !found.owner().equals(core.ledger().get().owner())
            && !claims.contains(found.owner());
  }

  private void create(Action.CreateTable create) {
    if (world.metastore.isDown()) {
      answer(new Event.SwapAnswered(new SwapOutcome.Unreachable("the metastore is down")));
      return;
    }
    TableUuid uuid = world.metastore.newUuid();
    TableState state = create.initialState(uuid);
    Metastore.Fate fate = world.metastore.takeFate();
    boolean applied =
        fate != Metastore.Fate.LOST_NEVER
            && fate != Metastore.Fate.UNREACHABLE
            && world.metastore.create(uuid, state);
    world.caught(this, Step.SWAPPED);
    Event told =
        switch (fate) {
          case UNREACHABLE -> new Event.SwapAnswered(new SwapOutcome.Unreachable("down"));
          case LOST_APPLIED, LOST_NEVER, LOST_LATE ->
              new Event.SwapAnswered(new SwapOutcome.Unknown("lost"));
          case NORMAL, REFUSED_THOUGH_APPLIED ->
              new Event.SwapAnswered(
                  applied
                      ? new SwapOutcome.Done(state)
                      : world
                          .metastore
                          .pointer()
                          .said()
                          .<SwapOutcome>map(SwapOutcome.Conflict::new)
                          .orElseGet(() -> new SwapOutcome.TableHalted("a table without state")));
        };
    later(10, "hears of its table", () -> answer(told));
  }

  private void attempt(LedgerAdapter.Attempt attempt, TableState written) {
    if (attempt.ended().isPresent()) {
      swapped(attempt.ended().get());
      return;
    }
    Metastore.Request request = attempt.request();
    if (request.changesColumns()) {
      world.caught(this, Step.COLUMNS_CHECKED);
    }
    world.caught(
        this,
        switch (request.kind()) {
          case DATA_ROUND -> Step.DATA_ROUND_CHECKED;
          case IDLE_ROUND -> Step.IDLE_ROUND_CHECKED;
          case CLAIM -> Step.CLAIM_CHECKED;
        });
    later(20, "sends its swap", () -> send(request, written));
  }

  private void send(Metastore.Request request, TableState written) {
    Metastore.Fate fate =
        world.metastore.isDown() ? Metastore.Fate.LOST_NEVER : world.metastore.takeFate(request);
    if (fate != Metastore.Fate.NORMAL) {
      world.timeline.note(() -> this + ": the answer's fate is " + fate);
    }
    TableVersion after = null;
    switch (fate) {
      case NORMAL, LOST_APPLIED, REFUSED_THOUGH_APPLIED -> after = world.metastore.replace(request);
      case LOST_LATE -> {
        world.tally.count(MatrixLine.ANSWER_LOST);
        world.timeline.after(
            world.between(300, 9_000),
            this,
            "has a late swap",
            () -> world.metastore.replace(request));
      }
      case LOST_NEVER -> world.tally.count(MatrixLine.ANSWER_LOST);
      case UNREACHABLE -> {}
    }
    TableVersion applied = after;
    world.caught(this, Step.SWAPPED);
    later(15, "hears of its swap", () -> heard(request, written, fate, applied));
  }

  private void heard(
      Metastore.Request request, TableState written, Metastore.Fate fate, TableVersion applied) {
    SwapOutcome outcome =
        switch (fate) {
          case UNREACHABLE -> new SwapOutcome.Unreachable("the metastore is down");
          case LOST_APPLIED, LOST_NEVER, LOST_LATE -> new SwapOutcome.Unknown("answer lost");
          case REFUSED_THOUGH_APPLIED -> ledger.afterRefusal(written);
          case NORMAL -> {
            if (applied == null) {
              yield ledger.afterRefusal(written);
            }
            ledger.remember(applied.state());
            yield new SwapOutcome.Done(applied.state());
          }
        };
    if (!(outcome instanceof SwapOutcome.Done)) {
      deleteFilesOf(request);
    }
    swapped(outcome);
  }

  /** What the product never does. */
  private void deleteFilesOf(Metastore.Request request) {
    if (world.rules.core().holds(Protection.NOTHING_DELETED) || request.plan().isEmpty()) {
      return;
    }
    request
        .plan()
        .get()
        .layers()
        .forEach(layer -> TableVersion.filesOf(world, layer).forEach(world::delete));
  }

  private void swapped(SwapOutcome outcome) {
    if (outcome instanceof SwapOutcome.Conflict conflict) {
      saw(conflict.found());
    }
    answer(new Event.SwapAnswered(outcome));
  }

  private void open() {
    if (world.kafkaDown) {
      answer(new Event.PublisherUnreachable("Kafka is down"));
      return;
    }
    if (world.rules.core().holds(Protection.FENCED_BEFORE_TAIL)) {
      fence();
      world.caught(this, Step.FENCED);
      later(
          world.takeOpening(),
          "has read the status topic's tail",
          () -> answer(new Event.PublisherOpened(world.status.tail())));
    } else {
      Optional<StatusTail> tail = world.status.tail();
      world.caught(this, Step.FENCED);
      later(
          world.takeOpening(),
          "opens its producer",
          () -> {
            fence();
            answer(new Event.PublisherOpened(tail));
          });
    }
  }

  private void fence() {
    producer = world.status.fence();
  }

  private void publish(CommitStatus message) {
    if (world.metastore.isDown() || !ledger.canBeRead(message.snapshot())) {
      answer(
          new Event.PublishAnswered(
              new PublishOutcome.NotConfirmed("the round cannot be read from the table")));
      return;
    }
    world.caught(this, Step.BEFORE_MESSAGE);
    later(world.between(10, 60), "commits its message", () -> commit(message));
  }

  private void commit(CommitStatus message) {
    World.MessageFate fate = world.takeMessageFate();
    boolean fenced =
        producer < 0
            || (world.status.isFenced(producer) && world.rules.core().holds(Protection.FENCING));
    boolean out = !fenced && !world.kafkaDown && fate != World.MessageFate.LOST;
    if (out) {
      world.checks.announced(message);
      world.status.commit(message);
      world.timeline.note(() -> "round " + message.round() + " is announced");
    }
    if (fenced) {
      world.tally.count(MatrixLine.TWO_COORDINATORS);
    }
    world.caught(this, Step.AFTER_MESSAGE);
    boolean told = out && fate == World.MessageFate.NORMAL;
    if (!told) {
      producer = -1;
    }
    later(
        15,
        "hears of its message",
        () ->
            answer(
                new Event.PublishAnswered(
                    told
                        ? new PublishOutcome.Published()
                        : new PublishOutcome.NotConfirmed(fenced ? "fenced" : "no answer"))));
  }
}
