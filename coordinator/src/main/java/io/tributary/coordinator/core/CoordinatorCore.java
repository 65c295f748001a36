package io.tributary.coordinator.core;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Hello;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * All decisions of the coordinator for one table: told what happened, it says what to do.
 * Single-threaded; time and fresh ids come with the events.
 *
 * <pre>
 *  NEW --> READING --> CLAIMING --> OPENING --> READY <--------------------------+
 *            |  ^         |                       |                              |
 *            v  |         | conflict, lost        +--> COMMITTING --- done ------+
 *   WAITING_FOR_HELLO     | answer                |       |  |                   |
 *            |            v                       |       |  +-- refused --------+
 *            v         READING                    |       | lost answer          |
 *        CREATING                                 |       v                      |
 *                                                 |    READING --> CLAIMING -----+
 *                                                 |    (it is mine)              |
 *                                                 +--> READING --> OPENING ------+
 *                                                      (a message without answer)
 *
 *  anywhere --> ENDED: another coordinator's term and owner in the table, or something
 *                      only the operator may decide
 * </pre>
 *
 * <p>Assumptions: a swap is a true compare-and-set on the metadata that was read; records of the
 * control topic come in order; whoever carries the actions out reads the manifests of a round
 * before its swap and tells every fault.
 *
 * <p>Records that arrive while a swap is out are judged after it: a hello must not void an epoch
 * that is just being committed.
 */
public final class CoordinatorCore {
  private enum Stage {
    NEW,
    READING,
    WAITING_FOR_HELLO,
    CREATING,
    CLAIMING,
    OPENING,
    READY,
    COMMITTING,
    ENDED
  }

  /** Why the table is being read or claimed. */
  private enum Purpose {
    START,
    /** Somebody may have put the table back while its first hello was waited for. */
    LOOK_AGAIN,
    SETTLE_ROUND,
    REOPEN_PUBLISHER,
    CONFIRM_TAIL
  }

  private record Identity(Term term, OwnerId owner) {
    static Identity of(TableState state) {
      return new Identity(state.term(), state.owner());
    }
  }

  private final CoreSettings settings;
  private final Protections protections;
  private final RoundPlanner planner;

  private Stage stage = Stage.NEW;
  private Purpose purpose = Purpose.START;
  private Optional<Action> retryAtTick = Optional.empty();

  private Members members;
  private Optional<Membership> membership = Optional.empty();
  private Term highestKnownTerm = new Term(0);
  private Optional<Identity> me = Optional.empty();

  /** No message on the status topic may carry a higher term, or the table was restored. */
  private Term highestPublished = new Term(0);

  private Optional<TableState> ledger = Optional.empty();
  private Optional<TableLayout> layout = Optional.empty();

  /** Every claim that may have been applied, with its base; without one it creates the table. */
  private final Map<OwnerId, Optional<TableState>> claims = new HashMap<>();

  /** Columns that jobs wait for, until a round that adds them is known to be committed. */
  private final Set<RequestedColumn> requested = new LinkedHashSet<>();

  private Optional<RoundPlan> inFlight = Optional.empty();
  private int refusals;

  private final SortedMap<GroupName, GroupBook> books = new TreeMap<>();
  private final Deque<Event> deferred = new ArrayDeque<>();
  private long nextOffset;
  private Optional<Instant> lastEnd = Optional.empty();
  private final SortedMap<GroupName, Event.Record> firstHellos = new TreeMap<>();
  private final Set<Long> unfit = new HashSet<>();

  private final Deque<CommitStatus> publishing = new ArrayDeque<>();
  private boolean publisherBroken;
  private Optional<String> tailContradiction = Optional.empty();
  private long deletedBelow;

  private Instant now = Instant.EPOCH;
  private UUID freshId = new UUID(0, 0);
  private List<Action> actions = new ArrayList<>();

  /**
   * @param members what the registry says about the table at start
   */
  public CoordinatorCore(CoreSettings settings, Members members, Protections protections) {
    this.settings = Objects.requireNonNull(settings, "settings");
    this.members = Objects.requireNonNull(members, "members");
    this.protections = Objects.requireNonNull(protections, "protections");
    this.planner = new RoundPlanner(settings, protections);
  }

  /**
   * @param now by the coordinator's clock
   * @param freshId never used before, by anybody
   * @return what to do, in order
   * @throws IllegalStateException when the event answers nothing that was asked
   */
  public List<Action> handle(Event event, Instant now, UUID freshId) {
    if (stage == Stage.ENDED) {
      return List.of();
    }
    this.now = Objects.requireNonNull(now, "now");
    this.freshId = Objects.requireNonNull(freshId, "freshId");
    this.actions = new ArrayList<>();
    dispatch(event);
    return List.copyOf(actions);
  }

  /** What the table remembers, once this coordinator has claimed it. */
  public Optional<TableState> ledger() {
    return ledger;
  }

  /** Whether the coordinator has stopped for good. */
  public boolean isEnded() {
    return stage == Stage.ENDED;
  }

  /** Whether the table is this coordinator's and no swap's outcome is open. */
  public boolean isAtRest() {
    return stage == Stage.READY;
  }

  /** Where it stands, for logs and metrics. */
  public String stage() {
    return stage.name();
  }

  /** Every group's standing, for metrics. */
  public List<GroupView> groups() {
    return books.values().stream().map(GroupView::of).toList();
  }

  private void dispatch(Event event) {
    if (event instanceof Event.Started started) {
      expect(Stage.NEW, event);
      highestKnownTerm = started.highestKnownTerm();
      read(Purpose.START);
    } else if (event instanceof Event.TableRead read) {
      expect(Stage.READING, event);
      tableRead(read.look());
    } else if (event instanceof Event.SwapAnswered answered) {
      swapAnswered(answered.outcome());
    } else if (event instanceof Event.PublisherOpened opened) {
      expect(Stage.OPENING, event);
      publisherOpened(opened.tail());
    } else if (event instanceof Event.PublisherUnreachable unreachable) {
      expect(Stage.OPENING, event);
      retry(new Action.OpenPublisher(), "open the status topic", unreachable.cause());
    } else if (event instanceof Event.PublishAnswered answered) {
      publishAnswered(answered.outcome());
    } else if (event instanceof Event.Tick) {
      tick();
    } else {
      fromOutside(event);
    }
  }

  /** What arrives by itself is judged only while no swap is out. */
  private void fromOutside(Event event) {
    if (stage == Stage.WAITING_FOR_HELLO) {
      beforeTheTable(event);
    } else if (stage == Stage.READY) {
      judge(event);
    } else {
      deferred.add(event);
    }
  }

  private void judge(Event event) {
    if (event instanceof Event.Record record) {
      nextOffset = Math.max(nextOffset, record.offset() + 1);
      judgeRecord(record);
    } else if (event instanceof Event.UnreadableRecord unreadable) {
      nextOffset = Math.max(nextOffset, unreadable.offset() + 1);
      unreadable(unreadable);
    } else if (event instanceof Event.EndOfTopic end) {
      nextOffset = Math.max(nextOffset, end.nextOffset());
      lastEnd = Optional.of(now);
    } else if (event instanceof Event.RegistryChanged changed) {
      registryChanged(changed.members());
    } else if (event instanceof Event.FaultFound found) {
      fault(found.fault());
    }
  }

  // ------------------------------------------------------------------ reading and claiming

  private void read(Purpose why) {
    stage = Stage.READING;
    purpose = why;
    actions.add(new Action.ReadTable());
  }

  private void tableRead(TableLook look) {
    if (look instanceof TableLook.Present present) {
      layout = Optional.of(present.layout());
      tableFound(present.state());
    } else if (look instanceof TableLook.Unusable unusable) {
      stop(unusable.reason());
    } else if (look instanceof TableLook.Unreachable unreachable) {
      retry(new Action.ReadTable(), "read the table", unreachable.cause());
    } else if (purpose == Purpose.START) {
      firstHellos.clear();
      lastEnd = Optional.empty();
      actions.add(new Action.ReadControlFrom(OptionalLong.empty()));
      // The topic is read from its beginning; what the registry said is not said again.
      keepRegistriesOnly();
      waitForHello();
    } else if (purpose == Purpose.LOOK_AGAIN) {
      purpose = Purpose.START;
      waitForHello();
    } else {
      stop(
          "Cannot go on with table %s: expected round %s of term %s, found no table; cure: restore the table, then start the coordinator again"
              .formatted(settings.table(), require(ledger).round(), require(me).term()));
    }
  }

  /** What came meanwhile comes first: a registry must not be taken for newer than its successor. */
  private void waitForHello() {
    stage = Stage.WAITING_FOR_HELLO;
    while (stage == Stage.WAITING_FOR_HELLO && !deferred.isEmpty()) {
      beforeTheTable(deferred.remove());
    }
  }

  private void keepRegistriesOnly() {
    deferred.removeIf(event -> !(event instanceof Event.RegistryChanged));
  }

  private void tableFound(TableState state) {
    if (claims.containsKey(state.owner())) {
      claimed(state);
      return;
    }
    if (purpose == Purpose.LOOK_AGAIN) {
      purpose = Purpose.START;
    }
    if (purpose == Purpose.START) {
      claim(state, new Term(Math.max(state.term().value(), highestKnownTerm.value())).next());
      return;
    }
    if (!isMine(state)) {
      deposed(state);
      return;
    }
    if (isRolledBack(state)) {
      return;
    }
    if (purpose == Purpose.REOPEN_PUBLISHER) {
      adopt(state);
      openPublisher();
    } else if (purpose == Purpose.CONFIRM_TAIL) {
      stop(require(tailContradiction));
    } else if (protections.holds(Protection.CLAIM_AFTER_UNKNOWN)) {
      claim(state, state.term());
    } else {
      settle(state, state);
    }
  }

  private boolean isMine(TableState state) {
    return me.filter(Identity.of(state)::equals).isPresent()
        || !protections.holds(Protection.TERM_AND_OWNER);
  }

  /** Somebody restored older metadata that still carries this coordinator's term and owner. */
  private boolean isRolledBack(TableState state) {
    TableState known = require(ledger);
    if (state.tableUuid().equals(known.tableUuid())
        && state.round().compareTo(known.round()) >= 0) {
      return false;
    }
    stop(
        "Cannot go on with table %s in term %s: expected round %s or later of table UUID %s, found round %s of %s: the table was rolled back, restored or created again; cure: put the newest metadata back, or accept the table as it is: tributary accept %s"
            .formatted(
                settings.table(),
                known.term(),
                known.round(),
                known.tableUuid(),
                state.round(),
                state.tableUuid(),
                settings.table()));
    return true;
  }

  private void claim(TableState base, Term term) {
    stage = Stage.CLAIMING;
    OwnerId owner = new OwnerId(freshId);
    claims.put(owner, Optional.of(base));
    // The plan id stays: it names the attempt that made the round, and a claim makes none.
    actions.add(
        new Action.Claim(
            base,
            base.claimed(term, owner, base.plan()),
            purpose == Purpose.START ? "start" : "settle a round whose answer was lost"));
  }

  /** The table carries an owner id of this coordinator, so its claim was applied on this base. */
  private void claimed(TableState state) {
    Optional<TableState> base = claims.get(state.owner());
    claims.clear();
    refusals = 0;
    me = Optional.of(Identity.of(state));
    if (purpose == Purpose.SETTLE_ROUND) {
      settle(require(base), state);
      return;
    }
    if (purpose == Purpose.REOPEN_PUBLISHER) {
      adopt(state);
      openPublisher();
      return;
    }
    highestPublished = base.map(TableState::term).orElse(state.term());
    nextOffset = state.controlOffset();
    lastEnd = Optional.empty();
    // Whatever was passed on before is passed on again.
    keepRegistriesOnly();
    adopt(state);
    actions.add(new Action.ReadControlFrom(OptionalLong.of(state.controlOffset())));
    openPublisher();
  }

  /**
   * The claim makes every swap still under way fail, so what its base said is final.
   *
   * @param base what was in the table before the claim
   * @param state what is there now
   */
  private void settle(TableState base, TableState state) {
    RoundPlan plan = require(inFlight);
    inFlight = Optional.empty();
    if (isApplied(plan, base)) {
      done(state);
    } else {
      adopt(state);
      ready();
    }
  }

  private static boolean isApplied(RoundPlan plan, TableState found) {
    return found.round().equals(plan.next().round()) && found.plan().equals(plan.next().plan());
  }

  private void deposed(TableState found) {
    if (!protections.holds(Protection.DEPOSED_NEVER_CLAIMS)) {
      // What the simulation shows to be wrong: it takes the table back.
      purpose = inFlight.isPresent() ? Purpose.SETTLE_ROUND : Purpose.REOPEN_PUBLISHER;
      claim(found, found.term().next());
      return;
    }
    end(
        new Action.EndDeposed(
            "Cannot go on with table %s: expected term %s of owner %s, found term %s of owner %s: another coordinator has taken over"
                .formatted(
                    settings.table(),
                    require(me).term(),
                    require(me).owner(),
                    found.term(),
                    found.owner())));
  }

  // ------------------------------------------------------------------ the table's creation

  private void beforeTheTable(Event event) {
    if (event instanceof Event.Record record) {
      if (record.message() instanceof Hello hello && hello.table().equals(settings.table())) {
        firstHellos.merge(hello.group(), record, CoordinatorCore::newer);
      }
    } else if (event instanceof Event.RegistryChanged changed) {
      members = changed.members();
    } else if (event instanceof Event.EndOfTopic) {
      lastEnd = Optional.of(now);
      createTable();
    }
    // Committables of a table that is gone, and unreadable records, are read again and judged
    // once there is a table.
  }

  private static Event.Record newer(Event.Record known, Event.Record found) {
    return found.message().incarnation().compareTo(known.message().incarnation()) >= 0
        ? found
        : known;
  }

  /** Only with the topic read to its end: an older hello may propose an older table. */
  private void createTable() {
    List<Event.Record> fitting = firstHellos.values().stream().filter(this::fitsRegistry).toList();
    if (lastEnd.isEmpty() || fitting.isEmpty()) {
      return;
    }
    stage = Stage.CREATING;
    OwnerId owner = new OwnerId(freshId);
    claims.put(owner, Optional.empty());
    long from = firstHellos.values().stream().mapToLong(Event.Record::offset).min().orElseThrow();
    actions.add(
        new Action.CreateTable(
            ((Hello) fitting.get(0).message()).proposal(),
            highestKnownTerm.next(),
            owner,
            new PlanId(freshId),
            from,
            now));
  }

  private boolean fitsRegistry(Event.Record record) {
    Hello hello = (Hello) record.message();
    Membership wanted = Membership.of(members);
    boolean fits =
        (members.registryVersion() == 0 || hello.registryVersion() <= members.registryVersion())
            && !hello.shards().isEmpty()
            && hello.shards().stream().allMatch(shard -> wanted.owns(hello.group(), shard));
    if (!fits && unfit.add(record.offset())) {
      raise(
          Alarm.Code.REGISTRY_BEHIND,
          Optional.of(hello.group()),
          "Cannot create table %s for group %s yet: expected its shards in registry version %d, found shards %s of registry version %d in its hello; it waits for another registry"
              .formatted(
                  settings.table(),
                  hello.group(),
                  members.registryVersion(),
                  hello.shards(),
                  hello.registryVersion()));
    }
    return fits;
  }

  // ------------------------------------------------------------------ outcomes of a swap

  private void swapAnswered(SwapOutcome outcome) {
    Stage asked = stage;
    if (asked != Stage.CREATING && asked != Stage.CLAIMING && asked != Stage.COMMITTING) {
      throw new IllegalStateException(
          "Cannot take a swap's outcome for table %s in stage %s: expected one in flight, found none"
              .formatted(settings.table(), stage));
    }
    if (outcome instanceof SwapOutcome.TableHalted halted) {
      stop(halted.reason());
    } else if (asked == Stage.COMMITTING) {
      roundAnswered(outcome);
    } else {
      claimAnswered(asked, outcome);
    }
  }

  private void claimAnswered(Stage asked, SwapOutcome outcome) {
    if (asked == Stage.CREATING && outcome instanceof SwapOutcome.Done) {
      // Read again for the layout that the table really got.
      read(Purpose.START);
    } else if (outcome instanceof SwapOutcome.Done done) {
      claimed(done.state());
    } else if (outcome instanceof SwapOutcome.Unreachable unreachable) {
      stage = Stage.READING;
      retry(new Action.ReadTable(), "claim or create the table", unreachable.cause());
    } else if (outcome instanceof SwapOutcome.Conflict) {
      if (!tooManyRefusals("claim")) {
        read(purpose);
      }
    } else if (outcome instanceof SwapOutcome.Unknown unknown) {
      raise(
          Alarm.Code.UNKNOWN_OUTCOME,
          Optional.empty(),
          "Cannot tell whether the claim of table %s was applied: %s; the table is read again"
              .formatted(settings.table(), unknown.cause()));
      read(purpose);
    } else {
      throw new IllegalStateException(
          "Cannot take %s as the outcome of a claim of table %s: expected an outcome without files"
              .formatted(outcome, settings.table()));
    }
  }

  private void roundAnswered(SwapOutcome outcome) {
    RoundPlan plan = require(inFlight);
    if (outcome instanceof SwapOutcome.Done done) {
      inFlight = Optional.empty();
      done(done.state());
    } else if (outcome instanceof SwapOutcome.Conflict conflict) {
      conflict(plan, conflict.found());
    } else if (outcome instanceof SwapOutcome.Unknown unknown) {
      raise(
          Alarm.Code.UNKNOWN_OUTCOME,
          Optional.empty(),
          "Cannot tell whether round %s of term %s of table %s was committed: %s; settled by a claim, nothing is deleted or sent again before"
              .formatted(
                  plan.next().round(), plan.next().term(), settings.table(), unknown.cause()));
      read(Purpose.SETTLE_ROUND);
    } else if (outcome instanceof SwapOutcome.Unreachable unreachable) {
      inFlight = Optional.empty();
      raise(
          Alarm.Code.UNREACHABLE,
          Optional.empty(),
          "Cannot commit round %s of table %s: %s; nothing was sent, tried again at the next tick"
              .formatted(plan.next().round(), settings.table(), unreachable.cause()));
      ready();
    } else if (outcome instanceof SwapOutcome.Faulty faulty) {
      inFlight = Optional.empty();
      if (faulty.faults().stream().filter(this::fault).count() == 0) {
        throw new IllegalStateException(
            "Cannot take faults %s of table %s: expected faults of admitted epochs"
                .formatted(faulty.faults(), settings.table()));
      }
      ready();
      planRound();
    }
  }

  private void conflict(RoundPlan plan, TableState found) {
    if (isApplied(plan, found) && protections.holds(Protection.CONFLICT_IS_NO_PROOF)) {
      inFlight = Optional.empty();
      if (isMine(found)) {
        done(found);
      } else {
        deposed(found);
      }
      return;
    }
    if (!isMine(found)) {
      deposed(found);
      return;
    }
    inFlight = Optional.empty();
    if (isRolledBack(found) || tooManyRefusals("commit round " + plan.next().round() + " of")) {
      return;
    }
    raise(
        Alarm.Code.CONFLICT,
        Optional.empty(),
        "Cannot commit round %s of term %s of table %s on the metadata that was read: somebody else changed the table; built anew"
            .formatted(plan.next().round(), plan.next().term(), settings.table()));
    adopt(found);
    ready();
    planRound();
  }

  private boolean tooManyRefusals(String what) {
    refusals++;
    if (refusals <= settings.conflictLimit()) {
      return false;
    }
    stop(
        "Cannot %s table %s: expected at most %d refused swaps in a row, found %d; cure: find out who else changes the table's metadata so often, then start the coordinator again"
            .formatted(what, settings.table(), settings.conflictLimit(), refusals));
    return true;
  }

  // ------------------------------------------------------------------ rounds and their messages

  private void done(TableState state) {
    refusals = 0;
    // No request is judged while a round is out: all that are known were in it.
    requested.clear();
    adopt(state);
    publish(state);
    ready();
  }

  private void publish(TableState state) {
    CommitStatus status = CommitStatus.of(settings.table(), state);
    publishing.add(status);
    actions.add(new Action.Publish(status));
  }

  private void publishAnswered(PublishOutcome outcome) {
    if (publishing.isEmpty()) {
      throw new IllegalStateException(
          "Cannot take the outcome of a message of table %s: expected one in flight, found none"
              .formatted(settings.table()));
    }
    CommitStatus status = publishing.remove();
    if (outcome instanceof PublishOutcome.Published) {
      deleteRecords();
      return;
    }
    PublishOutcome.NotConfirmed open = (PublishOutcome.NotConfirmed) outcome;
    raise(
        open.fenced() ? Alarm.Code.FENCED : Alarm.Code.MESSAGE_UNCONFIRMED,
        Optional.empty(),
        "Cannot tell whether the message of round %s of table %s is out: %s; table and topic are read before it is sent again"
            .formatted(status.round(), settings.table(), open.cause()));
    // Opened again at the next tick: what fails at once would fail again at once.
    publisherBroken = protections.holds(Protection.PUBLISH_BEFORE_NEXT);
  }

  private void reopenPublisher() {
    if (publisherBroken && stage == Stage.READY && publishing.isEmpty()) {
      read(Purpose.REOPEN_PUBLISHER);
    }
  }

  private void openPublisher() {
    stage = Stage.OPENING;
    actions.add(new Action.OpenPublisher());
  }

  /** The topic is one message behind the table at most, never ahead. */
  private void publisherOpened(Optional<StatusTail> tail) {
    TableState state = require(ledger);
    if (protections.holds(Protection.TAIL_BEFORE_PUBLISH)) {
      Optional<String> found = TailCheck.contradiction(state, tail, highestPublished);
      if (found.isPresent()) {
        // Another coordinator may have taken over meanwhile; the table tells.
        tailContradiction =
            Optional.of(
                "Cannot publish for table %s in term %s: expected the status topic at round %s or one before, found %s; cure: put back what was restored, or accept the table as it is: tributary accept %s"
                    .formatted(
                        settings.table(),
                        state.term(),
                        state.round(),
                        found.get(),
                        settings.table()));
        read(Purpose.CONFIRM_TAIL);
        return;
      }
    }
    publisherBroken = false;
    highestPublished = state.term();
    boolean missing =
        state.round().value() > 0
            && (!protections.holds(Protection.TAIL_BEFORE_PUBLISH)
                || tail.filter(last -> last.round().equals(state.round())).isEmpty());
    if (missing) {
      publish(state);
    } else {
      deleteRecords();
    }
    ready();
  }

  private void deleteRecords() {
    long below = require(ledger).controlOffset();
    if (below > deletedBelow) {
      deletedBelow = below;
      actions.add(new Action.DeleteControlRecordsBelow(below));
    }
  }

  private void tick() {
    if (retryAtTick.isPresent()) {
      actions.add(retryAtTick.get());
      retryAtTick = Optional.empty();
    } else if (stage == Stage.WAITING_FOR_HELLO) {
      createTable();
      if (stage == Stage.WAITING_FOR_HELLO) {
        read(Purpose.LOOK_AGAIN);
      }
    } else if (stage == Stage.READY) {
      reopenPublisher();
      if (stage == Stage.READY) {
        haltOverdue();
        planRound();
      }
    }
  }

  private void planRound() {
    boolean mayPlan =
        stage == Stage.READY
            && (publishing.isEmpty() || !protections.holds(Protection.PUBLISH_BEFORE_NEXT));
    if (!mayPlan) {
      return;
    }
    planner
        .plan(
            require(ledger),
            require(membership),
            books.values(),
            List.copyOf(requested),
            nextOffset,
            now,
            new PlanId(freshId))
        .ifPresent(
            planned -> {
              planned.alarms().forEach(alarm -> actions.add(new Action.Raise(alarm)));
              stage = Stage.COMMITTING;
              inFlight = Optional.of(planned.plan());
              actions.add(new Action.CommitRound(planned.plan()));
              if (!protections.holds(Protection.REQUESTS_KEPT)) {
                requested.clear();
              }
            });
  }

  private void ready() {
    stage = Stage.READY;
    while (stage == Stage.READY && !deferred.isEmpty()) {
      judge(deferred.remove());
    }
    reopenPublisher();
  }

  /** The table says so. */
  private void adopt(TableState state) {
    boolean first = ledger.isEmpty();
    ledger = Optional.of(state);
    state
        .groups()
        .forEach(
            (name, group) -> {
              GroupBook book = books.get(name);
              if (book == null) {
                books.put(name, new GroupBook(name, state.tableUuid(), Optional.of(group)));
                group
                    .halt()
                    .ifPresent(
                        halt ->
                            raise(
                                Alarm.Code.GROUP_HALTED,
                                Optional.of(name),
                                halt.code() + " since " + halt.since() + ": " + halt.message()));
              } else {
                book.committed(group);
              }
            });
    if (first) {
      membership = Optional.of(Membership.ofTable(state));
      applyRegistry(members);
    }
  }

  // ------------------------------------------------------------------ the control topic

  private void judgeRecord(Event.Record record) {
    ControlMessage message = record.message();
    GroupBook book = book(message.group());
    if (!book.waiting().isEmpty()) {
      book.waiting().add(record);
    } else if (message instanceof Hello hello) {
      judgeHello(book, record, hello);
    } else if (message instanceof SchemaRequest request) {
      judgeRequest(book, record.offset(), request);
    } else {
      judgeCommittable(book, record.offset(), (Committable) message);
    }
  }

  private GroupBook book(GroupName group) {
    return books.computeIfAbsent(
        group, name -> new GroupBook(name, require(ledger).tableUuid(), Optional.empty()));
  }

  private Judgement judgement() {
    return new Judgement(
        settings.table(),
        require(ledger).tableUuid(),
        require(me).term(),
        require(layout),
        require(membership),
        protections);
  }

  private void judgeHello(GroupBook book, Event.Record record, Hello hello) {
    if (!hello.table().equals(settings.table())) {
      raise(
          Alarm.Code.MISROUTED,
          Optional.of(hello.group()),
          "Cannot answer the hello of group %s at offset %d: expected table %s, found table %s; cure: correct the topics in the registry"
              .formatted(hello.group(), record.offset(), settings.table(), hello.table()));
      return;
    }
    HelloJudge.Verdict verdict =
        new HelloJudge(judgement(), book, now).judge(record.offset(), hello, record.misfit());
    if (verdict instanceof HelloJudge.Verdict.Answer answer) {
      book.answered(answer.newest(), answer.keep(), answer.refusal());
      answer.refusal().ifPresent(halt -> raiseHalt(book, halt));
    } else if (verdict instanceof HelloJudge.Verdict.Zombie zombie) {
      book.tally().zombies++;
      raise(Alarm.Code.ZOMBIE, Optional.of(book.name()), zombie.text());
    } else if (verdict instanceof HelloJudge.Verdict.Usurper usurper) {
      raise(Alarm.Code.DUPLICATE_SUBMISSION, Optional.of(book.name()), usurper.text());
    } else if (verdict instanceof HelloJudge.Verdict.Wait wait) {
      book.waiting().addFirst(record);
      raise(Alarm.Code.REGISTRY_BEHIND, Optional.of(book.name()), wait.text());
    }
  }

  /**
   * A job asks again after each of its starts, so a request that does not count is dropped: nothing
   * of the table depends on it.
   */
  private void judgeRequest(GroupBook book, long offset, SchemaRequest request) {
    boolean beforeHello = book.newest().filter(hello -> offset < hello.helloOffset()).isPresent();
    if (beforeHello) {
      book.tally().voided++;
      return;
    }
    if (!protections.holds(Protection.REQUESTS_FENCED)) {
      requested.addAll(request.columns());
      return;
    }
    String found = null;
    String expected = null;
    if (!request.table().equals(settings.table())
        || !request.tableUuid().equals(require(ledger).tableUuid())) {
      expected = "table " + settings.table() + " with UUID " + require(ledger).tableUuid();
      found = "table " + request.table() + " with UUID " + request.tableUuid();
    } else if (book.newest()
        .filter(hello -> hello.incarnation().equals(request.incarnation()))
        .filter(hello -> hello.submission().equals(request.submission()))
        .isEmpty()) {
      expected =
          book.newest()
              .map(hello -> "incarnation " + hello.incarnation() + ", " + hello.submission())
              .orElse("a hello first");
      found = "incarnation " + request.incarnation() + ", " + request.submission();
    } else if (!require(membership).owns(request.group(), request.shard())) {
      expected = require(membership).ownerText(request.shard());
      found = "group " + request.group();
    }
    if (found == null) {
      requested.addAll(request.columns());
      return;
    }
    book.tally().zombies++;
    raise(
        Alarm.Code.ZOMBIE,
        Optional.of(book.name()),
        "Cannot add columns %s to table %s for shard %s of group %s: expected %s, found %s; cure: cancel the job that asks"
            .formatted(
                request.columns(),
                settings.table(),
                request.shard(),
                request.group(),
                expected,
                found));
  }

  private void judgeCommittable(GroupBook book, long offset, Committable epoch) {
    Admission.Verdict verdict =
        new Admission(judgement(), book, require(ledger).shards()).judge(offset, epoch);
    apply(book, new GroupBook.Entry(offset, epoch), verdict);
    while (verdict instanceof Admission.Verdict.Admit) {
      Optional<GroupBook.Entry> next = book.releaseNext();
      if (next.isEmpty()) {
        return;
      }
      verdict =
          new Admission(judgement(), book, require(ledger).shards())
              .judgeReleased(next.get().committable());
      apply(book, next.get(), verdict);
    }
  }

  private void apply(GroupBook book, GroupBook.Entry entry, Admission.Verdict verdict) {
    Optional<GroupName> group = Optional.of(book.name());
    if (verdict instanceof Admission.Verdict.Admit) {
      book.admit(entry);
    } else if (verdict instanceof Admission.Verdict.Hold hold) {
      if (book.hold(entry, now)) {
        raise(Alarm.Code.GROUP_HELD, group, hold.text());
      }
    } else if (verdict instanceof Admission.Verdict.Duplicate) {
      book.tally().duplicates++;
    } else if (verdict instanceof Admission.Verdict.Void) {
      book.tally().voided++;
    } else if (verdict instanceof Admission.Verdict.Zombie zombie) {
      book.tally().zombies++;
      raise(Alarm.Code.ZOMBIE, group, zombie.text());
    } else if (verdict instanceof Admission.Verdict.Usurper usurper) {
      book.tally().zombies++;
      raise(Alarm.Code.DUPLICATE_SUBMISSION, group, usurper.text());
    } else if (verdict instanceof Admission.Verdict.Pin || book.halt().isPresent()) {
      book.pin(entry.offset());
    } else if (verdict instanceof Admission.Verdict.Halt halt) {
      halt(book, halt.code(), halt.text(), OptionalLong.of(entry.offset()));
    }
  }

  private void unreadable(Event.UnreadableRecord record) {
    if (record.group().isEmpty()) {
      stop(
          "Cannot read the record at offset %d of the control topic of table %s in term %s: expected a message of a job with its group as key, found %s; cure: start a coordinator that understands it"
              .formatted(record.offset(), settings.table(), require(me).term(), record.cause()));
      return;
    }
    GroupBook book = book(record.group().get());
    if (book.newest().filter(hello -> record.offset() <= hello.helloOffset()).isPresent()) {
      book.tally().voided++;
    } else if (book.halt().isPresent()) {
      book.pin(record.offset());
    } else {
      halt(
          book,
          HaltCode.UNREADABLE,
          "Cannot read the record at offset %d of group %s for table %s in term %s: %s%s"
              .formatted(
                  record.offset(),
                  book.name(),
                  settings.table(),
                  require(me).term(),
                  record.cause(),
                  Judgement.startFromTable(book.name())),
          OptionalLong.of(record.offset()));
    }
  }

  /**
   * @return whether the epoch was admitted
   */
  private boolean fault(CommittableFault fault) {
    GroupBook book = book(fault.group());
    Halt halt =
        new Halt(
            fault.code(),
            "Cannot commit "
                + judgement().subject(fault.group(), fault.epoch())
                + ": "
                + fault.found()
                + Judgement.startFromTable(fault.group()),
            now);
    boolean admitted = book.fault(fault.epoch(), halt);
    if (admitted) {
      raiseHalt(book, halt);
    }
    return admitted;
  }

  private void halt(GroupBook book, HaltCode code, String text, OptionalLong offset) {
    Halt halt = new Halt(code, text, now);
    book.halt(halt, offset);
    raiseHalt(book, halt);
  }

  private void raiseHalt(GroupBook book, Halt halt) {
    raise(Alarm.Code.GROUP_HALTED, Optional.of(book.name()), halt.code() + ": " + halt.message());
  }

  private void haltOverdue() {
    for (GroupBook book : books.values()) {
      // Only when the topic was read to its end since: the missing epoch may just be unread.
      boolean overdue =
          book.heldSince()
              .map(since -> since.plus(settings.heldGroupTimeout()))
              .filter(due -> lastEnd.filter(end -> !end.isBefore(due)).isPresent())
              .isPresent();
      if (overdue) {
        Epoch missing = book.last().next();
        halt(
            book,
            HaltCode.GAP,
            "Cannot admit %s: expected it within %s, found %d later epochs and not this one%s"
                .formatted(
                    judgement().subject(book.name(), missing),
                    settings.heldGroupTimeout(),
                    book.heldEpochs(),
                    Judgement.startFromTable(book.name())),
            OptionalLong.empty());
      }
    }
  }

  // ------------------------------------------------------------------ the registry

  private void registryChanged(Members found) {
    members = found;
    applyRegistry(found);
    for (GroupBook book : List.copyOf(books.values())) {
      List<Event.Record> waiting = List.copyOf(book.waiting());
      book.waiting().clear();
      waiting.forEach(this::judgeRecord);
    }
  }

  private void applyRegistry(Members wanted) {
    TableState state = require(ledger);
    List<MembershipForecast.Problem> problems =
        Membership.problems(settings.table(), state, wanted, this::isPending);
    if (problems.isEmpty()) {
      membership = Optional.of(Membership.accept(state, wanted));
    }
    for (MembershipForecast.Problem problem : problems) {
      raise(Alarm.Code.REGISTRY_REFUSED, Optional.empty(), problem.text());
    }
  }

  private boolean isPending(ShardId shard) {
    return books.values().stream().anyMatch(book -> book.speaksFor(shard));
  }

  // ------------------------------------------------------------------ words

  private void retry(Action action, String what, String cause) {
    retryAtTick = Optional.of(action);
    raise(
        Alarm.Code.UNREACHABLE,
        Optional.empty(),
        "Cannot %s for table %s: %s; tried again at the next tick"
            .formatted(what, settings.table(), cause));
  }

  private void raise(Alarm.Code code, Optional<GroupName> group, String text) {
    actions.add(new Action.Raise(new Alarm(code, settings.table(), group, text)));
  }

  private void stop(String reason) {
    end(new Action.StopTable(reason));
  }

  private void end(Action last) {
    stage = Stage.ENDED;
    actions.add(last);
  }

  private void expect(Stage expected, Event event) {
    if (stage != expected) {
      throw new IllegalStateException(
          "Cannot take %s for table %s: expected stage %s, found %s"
              .formatted(event.getClass().getSimpleName(), settings.table(), expected, stage));
    }
  }

  private static <T> T require(Optional<T> value) {
    return value.orElseThrow(() -> new IllegalStateException("Cannot decide before the claim"));
  }
}
