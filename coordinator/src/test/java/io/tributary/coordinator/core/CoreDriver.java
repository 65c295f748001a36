package io.tributary.coordinator.core;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Carries out what the core wants on a table, a control topic and a status topic that are lists in
 * memory, and loses answers when told to.
 */
final class CoreDriver {
  /** What becomes of a swap. */
  enum Fate {
    ANSWERED,
    /** Applied, and the answer lost. */
    LOST_APPLIED,
    /** Not applied, and the answer lost. */
    LOST,
    /** Applied, and the executor tells a conflict. */
    APPLIED_TOLD_CONFLICT,
    /** Somebody else's commit came in between. */
    CONFLICT,
    UNREACHABLE
  }

  final CoreSettings settings;
  Protections protections = Protections.all();
  Members members;
  Instant now = Instant.parse("2030-01-01T00:00:00Z");
  Optional<TableState> table = Optional.empty();
  TableLayout layout = new TableLayout(0, 2);
  Optional<TableLook> look = Optional.empty();
  final List<ControlMessage> topic = new ArrayList<>();
  final List<CommitStatus> published = new ArrayList<>();
  Optional<StatusTail> tail = Optional.empty();
  boolean tellsEnd = true;

  final Deque<Fate> fates = new ArrayDeque<>();
  final Deque<SwapOutcome> outcomes = new ArrayDeque<>();
  final Deque<PublishOutcome> messages = new ArrayDeque<>();

  /** Whether a message that gets no confirmation is out all the same. */
  boolean unconfirmedIsOut;

  CoreDriver other;

  CoordinatorCore core;
  final List<Action> actions = new ArrayList<>();
  final List<RoundPlan> rounds = new ArrayList<>();
  final List<Alarm> alarms = new ArrayList<>();
  Optional<String> stopped = Optional.empty();
  Optional<String> deposed = Optional.empty();
  long deletedBelow;
  long registryTerm;
  private boolean reading;
  private long ids = 1;
  private final long idSpace;

  CoreDriver(Members members) {
    this(members, settings(), 1);
  }

  CoreDriver(Members members, CoreSettings settings, long idSpace) {
    this.members = members;
    this.settings = settings;
    this.idSpace = idSpace;
  }

  static CoreSettings settings() {
    return new CoreSettings(
        TestGroup.TABLE, Duration.ofSeconds(10), 4, Duration.ofMinutes(5), Duration.ZERO, 3);
  }

  /** A table that exists, claimed by nobody in particular. */
  static CoreDriver onTable(TestGroup... groups) {
    CoreDriver driver = new CoreDriver(membersOf(groups));
    driver.table = Optional.of(emptyTable());
    return driver.start();
  }

  static TableState emptyTable() {
    UUID id = new UUID(0, 99);
    return new Action.CreateTable(
            TestGroup.PROPOSAL,
            new Term(1),
            new OwnerId(id),
            new io.tributary.protocol.PlanId(id),
            0,
            Instant.parse("2029-12-31T00:00:00Z"))
        .initialState(TestGroup.UUID_OF_TABLE);
  }

  static Members membersOf(TestGroup... groups) {
    java.util.Map<ShardId, Members.Member> shards = new java.util.TreeMap<>();
    for (TestGroup group : groups) {
      for (ShardId shard : group.shards) {
        shards.put(shard, Members.Member.active(group.name, group.server));
      }
    }
    return Members.of(1, shards);
  }

  CoreDriver start() {
    core = new CoordinatorCore(settings, members, protections);
    reading = false;
    tail = published.isEmpty() ? tail : Optional.of(tailOf(published.get(published.size() - 1)));
    run(new Event.Started(new Term(registryTerm)));
    return this;
  }

  /** The process is gone; another one starts on what is in the table and the topics. */
  CoreDriver restart() {
    fates.clear();
    outcomes.clear();
    return start();
  }

  long send(ControlMessage message) {
    topic.add(message);
    long offset = topic.size() - 1L;
    if (reading) {
      run(Event.Record.of(offset, message));
      tellEnd();
    }
    return offset;
  }

  void sendAll(ControlMessage... all) {
    for (ControlMessage message : all) {
      send(message);
    }
  }

  /** A checkpoint interval passes. */
  CoreDriver tick() {
    return tickAfter(Duration.ofSeconds(60));
  }

  CoreDriver tickAfter(Duration time) {
    now = now.plus(time);
    if (reading) {
      tellEnd();
    }
    run(new Event.Tick());
    return this;
  }

  private void tellEnd() {
    if (tellsEnd) {
      run(new Event.EndOfTopic(topic.size()));
    }
  }

  void run(Event event) {
    Deque<Event> events = new ArrayDeque<>(List.of(event));
    while (!events.isEmpty()) {
      for (Action action : core.handle(events.remove(), now, new UUID(idSpace, ids++))) {
        actions.add(action);
        perform(action, events);
      }
    }
  }

  private void perform(Action action, Deque<Event> events) {
    if (action instanceof Action.ReadTable) {
      events.add(
          new Event.TableRead(
              look.orElseGet(
                  () ->
                      table
                          .map(state -> (TableLook) new TableLook.Present(state, layout))
                          .orElse(new TableLook.Absent()))));
    } else if (action instanceof Action.CreateTable create) {
      events.add(
          new Event.SwapAnswered(
              swap(table.isEmpty(), create.initialState(TestGroup.UUID_OF_TABLE))));
    } else if (action instanceof Action.Claim claim) {
      events.add(new Event.SwapAnswered(swap(isBase(claim.expected()), claim.next())));
    } else if (action instanceof Action.CommitRound round) {
      rounds.add(round.plan());
      events.add(
          new Event.SwapAnswered(
              swap(isBase(round.plan().expected()), withSnapshot(round.plan()))));
    } else if (action instanceof Action.OpenPublisher) {
      events.add(new Event.PublisherOpened(tail));
    } else if (action instanceof Action.Publish publish) {
      PublishOutcome outcome =
          messages.isEmpty() ? new PublishOutcome.Published() : messages.remove();
      if (outcome instanceof PublishOutcome.Published || unconfirmedIsOut) {
        published.add(publish.status());
        tail = Optional.of(tailOf(publish.status()));
      }
      events.add(new Event.PublishAnswered(outcome));
    } else if (action instanceof Action.ReadControlFrom read) {
      reading = true;
      for (int i = (int) read.offset().orElse(0); i < topic.size(); i++) {
        events.add(Event.Record.of(i, topic.get(i)));
      }
      if (tellsEnd) {
        events.add(new Event.EndOfTopic(topic.size()));
      }
    } else if (action instanceof Action.DeleteControlRecordsBelow delete) {
      deletedBelow = delete.offset();
    } else if (action instanceof Action.Raise raise) {
      alarms.add(raise.alarm());
    } else if (action instanceof Action.StopTable stop) {
      stopped = Optional.of(stop.reason());
    } else if (action instanceof Action.EndDeposed end) {
      deposed = Optional.of(end.reason());
    }
  }

  private boolean isBase(TableState expected) {
    return table.filter(expected::equals).isPresent();
  }

  private SwapOutcome swap(boolean fits, TableState next) {
    if (!outcomes.isEmpty()) {
      return outcomes.remove();
    }
    Fate fate = fates.isEmpty() ? Fate.ANSWERED : fates.remove();
    if (fate == Fate.UNREACHABLE) {
      return new SwapOutcome.Unreachable("connection refused");
    }
    boolean applies = fits && fate != Fate.LOST && fate != Fate.CONFLICT;
    if (applies) {
      table = Optional.of(next);
    }
    return switch (fate) {
      case LOST, LOST_APPLIED -> new SwapOutcome.Unknown("no answer within 30 s");
      case APPLIED_TOLD_CONFLICT, CONFLICT -> new SwapOutcome.Conflict(table.orElseThrow());
      case ANSWERED, UNREACHABLE ->
          applies ? new SwapOutcome.Done(next) : new SwapOutcome.Conflict(table.orElseThrow());
    };
  }

  private static TableState withSnapshot(RoundPlan plan) {
    TableState next = plan.next();
    if (plan.layers().isEmpty()) {
      return next;
    }
    long sequence = next.snapshot().map(IcebergSnapshot::sequenceNumber).orElse(0L);
    IcebergSnapshot snapshot =
        new IcebergSnapshot(
            next.round().value(),
            next.snapshot().map(s -> OptionalLong.of(s.id())).orElse(OptionalLong.empty()),
            sequence + plan.layers().size());
    return next.built(Optional.of(snapshot), next.dataRound(), next.added(), FileCounts.NONE);
  }

  private static StatusTail tailOf(CommitStatus status) {
    return new StatusTail(status.tableUuid(), status.round(), status.term());
  }

  TableState state() {
    return table.orElseThrow();
  }

  GroupState state(TestGroup group) {
    return state().group(group.name).orElseThrow();
  }

  long epoch(TestGroup group) {
    return state(group).epoch().value();
  }

  ShardState shard(int id) {
    return state().shard(new ShardId(id)).orElseThrow();
  }

  GroupView view(TestGroup group) {
    return core.groups().stream()
        .filter(view -> view.group().equals(group.name))
        .findFirst()
        .orElseThrow();
  }

  RoundPlan lastRound() {
    return rounds.get(rounds.size() - 1);
  }

  List<Alarm> alarms(Alarm.Code code) {
    return alarms.stream().filter(alarm -> alarm.code() == code).toList();
  }
}
