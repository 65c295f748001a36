package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/** Everything there is in one run. */
final class World {
  static final TableName TABLE = new TableName("shop.orders");
  static final TableProposal PROPOSAL = new TableProposal("{}", "shard_id", "id", 1);
  static final CoreSettings SETTINGS =
      new CoreSettings(
          TABLE, Duration.ofMillis(1_500), 4, Duration.ofSeconds(3), Duration.ofSeconds(5), 10);

  /** What becomes of the next message. */
  enum MessageFate {
    NORMAL,
    /** It is out and nobody says so. */
    UNANSWERED,
    /** It is not out and nobody says so. */
    LOST
  }

  /** What happens to the next process that reaches a step. */
  enum Catch {
    KILL,
    STOP
  }

  final Rules rules;
  final SplittableRandom random;
  final Timeline timeline;
  final Tally tally = new Tally();
  final Checks checks = new Checks(this);
  final ModelFile.Store files = new ModelFile.Store();
  final Metastore metastore = new Metastore(this);
  final ControlTopicModel control = new ControlTopicModel();
  final StatusTopicModel status = new StatusTopicModel();
  final RegistryModel registry;
  final List<GroupModel> groups;
  final Operator operator;
  final Statements statements = new Statements(this);
  final List<CoordinatorProcess> coordinators = new ArrayList<>();
  boolean kafkaDown;
  boolean calm;

  /** How long the next coordinator needs between fencing and reading; 0 when as usual. */
  long slowTakeover;

  /** Whether the registry names another owner of a shard for a while. */
  boolean moving;

  /** Whether jobs seal no more epochs, so that all can be committed. */
  boolean quiet;

  private final Map<ServerName, Server> servers = new TreeMap<>();
  private final Map<CoordinatorProcess.Step, Catch> traps =
      new EnumMap<>(CoordinatorProcess.Step.class);
  private MessageFate messageFate = MessageFate.NORMAL;
  private boolean tamperedEver;
  private long numbers;
  private int startedCoordinators;

  World(long seed, Rules rules, boolean tracing) {
    this.rules = rules;
    this.random = new SplittableRandom(seed);
    this.timeline = new Timeline(tracing);
    Map<ShardId, Members.Member> shards = new TreeMap<>();
    register(shards, "alpha", "db1", 1);
    register(shards, "alpha", "db2", 2);
    register(shards, "beta", "db3", 3, 4);
    register(shards, "gamma", "db4", 5);
    this.registry = new RegistryModel(shards);
    this.groups =
        List.of(
            new GroupModel(this, new GroupName("alpha")),
            new GroupModel(this, new GroupName("beta")),
            new GroupModel(this, new GroupName("gamma")));
    this.operator = new Operator(this);
  }

  private void register(
      Map<ShardId, Members.Member> shards, String group, String server, int... ids) {
    Server made = new Server(new ServerName(server));
    servers.put(made.name(), made);
    for (int id : ids) {
      ShardId shard = new ShardId(id);
      shards.put(shard, Members.Member.active(new GroupName(group), made.name()));
      fill(made, shard);
    }
  }

  /** Rows from before the table's time. */
  void fill(Server server, ShardId shard) {
    for (int key = 0; key < Server.KEYS; key++) {
      if (random.nextInt(10) < 7) {
        server.write(timeline.now(), shard, key, false);
      }
    }
  }

  Server server(ServerName name) {
    return servers.get(name);
  }

  Iterable<Server> servers() {
    return servers.values();
  }

  GroupModel group(GroupName name) {
    for (GroupModel group : groups) {
      if (group.name.equals(name)) {
        return group;
      }
    }
    throw new IllegalArgumentException("Cannot find group " + name);
  }

  long between(int from, int to) {
    return random.nextInt(from, to);
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  <T> T oneOf(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  long nextNumber() {
    return ++numbers;
  }

  UUID nextId() {
    return new UUID(3, ++numbers);
  }

  CoordinatorProcess startCoordinator() {
    CoordinatorProcess started = new CoordinatorProcess(this, ++startedCoordinators);
    timeline.note(() -> started + " is started");
    if (startedCoordinators > 1) {
      tally.count(MatrixLine.COORDINATOR_WITHOUT_STATE);
    }
    coordinators.removeIf(old -> !old.isAlive());
    coordinators.add(started);
    return started;
  }

  void trap(CoordinatorProcess.Step step, Catch what) {
    traps.put(step, what);
  }

  void clearTraps() {
    traps.clear();
    slowTakeover = 0;
    messageFate = MessageFate.NORMAL;
    metastore.clearFate();
  }

  /** A process has reached a step: what was laid out for it happens. */
  void caught(CoordinatorProcess process, CoordinatorProcess.Step step) {
    Catch what = traps.remove(step);
    if (what == Catch.KILL) {
      timeline.note(() -> process + " is caught at " + step);
      tally.count(
          step == CoordinatorProcess.Step.COLUMNS_CHECKED
              ? FaultKind.COORDINATOR_CRASH_WITH_COLUMNS
              : FaultKind.COORDINATOR_CRASH_AT_STEP);
      tally.count(MatrixLine.COORDINATOR_DIES);
      process.kill();
    } else if (what == Catch.STOP) {
      timeline.note(() -> process + " is caught at " + step);
      tally.count(FaultKind.COORDINATOR_PAUSED_AT_STEP);
      process.stop();
      startCoordinator();
      timeline.after(between(1_500, 7_000), process, "is woken", process::wake);
    }
  }

  long takeOpening() {
    boolean slow = slowTakeover > 0 && !traps.containsKey(CoordinatorProcess.Step.BEFORE_MESSAGE);
    if (!slow) {
      return between(10, 120);
    }
    tally.count(FaultKind.SLOW_TAKEOVER);
    long delay = slowTakeover;
    slowTakeover = 0;
    return delay;
  }

  void setMessageFate(MessageFate fate) {
    messageFate = fate;
  }

  MessageFate takeMessageFate() {
    MessageFate fate = messageFate;
    messageFate = MessageFate.NORMAL;
    if (fate != MessageFate.NORMAL) {
      tally.count(FaultKind.MESSAGE_UNANSWERED);
    }
    return fate;
  }

  void delete(ModelFile file) {
    checks.deleted(file);
    file.exists = false;
  }

  /** Shards whose rows a snapshot changed that no round made, by the snapshot's number. */
  final Map<Long, ShardId> foreignRows = new TreeMap<>();

  void tampered() {
    tamperedEver = true;
  }

  /** Whether somebody did something to the table after which a coordinator may stop. */
  boolean mayStop() {
    return tamperedEver;
  }

  void roundMade(TableState old, TableState now, RoundPlan plan) {
    timeline.note(
        () ->
            "round %s is in the table: %d layers, watermark %s"
                .formatted(now.round(), plan.layers().size(), now.validThrough()));
    if (plan.layers().size() > 2) {
      tally.count(MatrixLine.BACKLOG);
    }
    boolean emptied =
        plan.layers().stream()
            .flatMap(layer -> layer.emptyShards().stream())
            .anyMatch(shard -> old.shard(shard).filter(s -> s.started()).isPresent());
    if (emptied) {
      tally.count(MatrixLine.SECOND_COPY);
    }
  }

  /** Pauses shards in the registry, and resumes them some seconds later. */
  void pause(List<ShardId> shards) {
    shards.forEach(each -> registry.desire(each, Members.Desired.PAUSED));
    timeline.after(
        between(2_000, 6_000),
        shards,
        "are resumed",
        () ->
            shards.forEach(
                each -> {
                  Members.Member now = registry.members().shards().get(each);
                  if (now.desired() == Members.Desired.PAUSED) {
                    registry.desire(each, Members.Desired.ACTIVE);
                  }
                }));
  }
}
