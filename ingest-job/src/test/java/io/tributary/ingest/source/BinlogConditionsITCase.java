package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a position: logs that roll, are reset, or are those of another server. */
class BinlogConditionsITCase {
  private static final ServerName ONE = new ServerName("one");
  private static final ServerName OTHER = new ServerName("other");
  private static final Duration QUICK_CHECKPOINTS = Duration.ofMillis(200);

  @TempDir Path state;

  /** As text, binlog.1000000 lies before binlog.999999. */
  @Test
  void readsOnWhereTheNumbersOfFilesGetADigitMore() throws Exception {
    try (TestServer server = new TestServer();
        Connection connection = server.connect()) {
      server.execute(
          "CREATE DATABASE roll",
          "CREATE TABLE roll.a (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE roll.b (id INT PRIMARY KEY, v INT)",
          "INSERT INTO roll.a VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)",
          "INSERT INTO roll.b VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)",
          "RESET MASTER TO 999999");
      SourceSpec spec = server.spec(2, "roll.a", "roll.b");
      SourcePosition before;
      SourceRun.Checkpoint behind;
      List<ShardRow> delivered = new ArrayList<>();
      try (SourceRun run = copied(spec, 1)) {
        before = run.lastMark().flatMap(SourceMark::position).orElseThrow();
        assertThat(before.file()).endsWith(".999999");
        server.execute("UPDATE roll.b SET v = 1 WHERE id = 1", "FLUSH BINARY LOGS");
        // The first change of this table comes behind the roll.
        server.execute("UPDATE roll.a SET v = 1 WHERE id = 1", "INSERT INTO roll.b VALUES (6, 0)");
        patiently().until(() -> run.rows().size() >= 13);
        Watermark then = watermarkOf(server);
        patiently()
            .until(() -> run.lastMark().flatMap(SourceMark::watermark).get().compareTo(then) > 0);
        behind = run.nextCheckpoint();
        delivered.addAll(run.rowsBefore(behind.number()));
      }
      Replica replica = new Replica(spec).apply(delivered);
      replica.assertEqualTo(connection);
      server.execute("UPDATE roll.a SET v = 2 WHERE id = 2", "DELETE FROM roll.b WHERE id = 2");
      try (SourceRun run = new SourceRun()) {
        Gate gate = TestServer.gate(2);
        run.answerContinue(gate, spec);
        run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.of(behind.path()), true);
        patiently().until(() -> run.rows().size() >= 2);
        replica.apply(run.rows()).assertEqualTo(connection);
      }
      // And without Flink's state, from the position in the table.
      assertThat(changesFrom(spec, before, 5))
          .containsExactly("+U(1,1,1)", "+U(0,1,1)", "+I(1,6,0)", "+U(0,2,2)", "-D(1,2,0)");
    }
  }

  @Test
  void aRollInTheMiddleOfTheCopyLosesNothing() throws Exception {
    try (TestServer server = new TestServer();
        Connection connection = server.connect()) {
      server.execute(
          "CREATE DATABASE roll",
          "CREATE TABLE roll.t (id INT PRIMARY KEY, v INT)",
          "INSERT INTO roll.t SELECT seq, 0 FROM roll.seq_1_to_200",
          "RESET MASTER TO 999999");
      SourceSpec spec = slowly(server.spec(10, "roll.t"), 60);
      Gate gate = TestServer.gate(1);
      try (SourceRun run = new SourceRun()) {
        run.answer(gate, spec, Optional.empty());
        run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
        boolean rolled = false;
        int change = 0;
        while (run.lastMark().flatMap(SourceMark::watermark).isEmpty()) {
          change++;
          server.execute(
              "UPDATE roll.t SET v = %d WHERE id %% 10 = %d".formatted(change, change % 10));
          if (!rolled && run.rows().size() >= 100) {
            rolled = true;
            server.execute("FLUSH BINARY LOGS");
          }
          assertThat(run.running()).isTrue();
          assertThat(run.lastMark().map(SourceMark::faults).orElse(Map.of())).isEmpty();
          Thread.sleep(20);
        }
        assertThat(rolled).isTrue();
        server.execute("INSERT INTO roll.t VALUES (1000, 0)");
        patiently().until(() -> run.rows().stream().anyMatch(row -> row.row().getInt(1) == 1000));
        new Replica(spec).apply(run.rows()).assertEqualTo(connection);
      }
    }
  }

  /** A restart inside a transaction of 200,000 rows delivers the rest of it, no row twice. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB_10_11", "MYSQL_5_6"})
  void goesOnInTheMiddleOfALargeTransactionExactly(ServerKind kind) throws Exception {
    int rows = 200_000;
    try (TestServer server = kind.start()) {
      server.execute(
          "CREATE DATABASE large",
          "CREATE TABLE large.digits (d INT PRIMARY KEY)",
          "INSERT INTO large.digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)",
          "CREATE TABLE large.t (id INT PRIMARY KEY, v INT)");
      SourceSpec spec = server.spec(1000, "large.t");
      SourcePosition begin = position(server);
      server.execute(
          "INSERT INTO large.t SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d"
              + " + 100000 * f.d, 0 FROM large.digits a, large.digits b, large.digits c,"
              + " large.digits d, large.digits e, large.digits f WHERE f.d < 2",
          "INSERT INTO large.t VALUES (-1, 0)");
      SourceRun.Checkpoint middle;
      SourcePosition in;
      List<ShardRow> first;
      try (SourceRun run = new SourceRun()) {
        Gate gate = TestServer.gate(1);
        run.answer(gate, spec, Optional.of(begin));
        run.shared().nanosPerRow = 40_000;
        run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
        patiently().until(() -> run.rows().size() > rows / 20);
        middle = run.nextCheckpoint();
        first = run.rowsBefore(middle.number());
        in =
            run.atBarrier(mark -> true)
                .flatMap(at -> at.mark().position())
                .filter(at -> at.skipEvents() + at.skipRows() > 0)
                .orElseThrow();
      }
      assertThat(first.size()).as("rows before the restart").isLessThan(rows);
      int rest = rows + 1 - first.size();
      try (SourceRun run = new SourceRun()) {
        Gate gate = TestServer.gate(2);
        run.answerContinue(gate, spec);
        run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.of(middle.path()), true);
        assertEachOnce(rows, first, awaitRows(run, rest));
      }
      assertThat(in.file()).isEqualTo(begin.file());
    }
  }

  /**
   * One job, two servers. What happens to one's log stops its shards, each with position and cure;
   * the other's are read on.
   */
  @Test
  void whatIsWrongWithOneServersLogStopsItsShardsAlone() throws Exception {
    try (TestServer one = new TestServer();
        TestServer other = new TestServer("--server-id=202")) {
      SourceSpec.Connection plain = one.connection();
      for (TestServer server : List.of(one, other)) {
        server.execute(
            "CREATE DATABASE d",
            "CREATE TABLE d.a (id INT PRIMARY KEY)",
            "CREATE TABLE d.b (id INT PRIMARY KEY)",
            "INSERT INTO d.a VALUES (1)",
            "FLUSH BINARY LOGS");
      }
      SourceSpec onOther = other.spec(1000, "d.a", "d.b");
      // After a failover the same reader must be let in.
      other.execute(
          "SET PASSWORD FOR '%s'@'%%' = PASSWORD('%s')"
              .formatted(plain.username(), plain.password().resolve()));
      SourceSpec second = moved(onOther, OTHER, other.connection().port(), plain, 2);
      SourceRun.Checkpoint halted;
      SourcePosition before;
      try (FaultProxy address = FaultProxy.to(plain.port())) {
        SourceSpec first = moved(one.spec(1000, "d.a", "d.b"), ONE, address.port(), plain, 0);
        List<SourceSpec> specs = List.of(first, second);
        try (SourceRun run = running(specs, 1, Map.of())) {
          before = run.lastMark(ONE).flatMap(SourceMark::position).orElseThrow();
          one.execute("RESET MASTER", "INSERT INTO d.a VALUES (2)");
          assertHaltedAlone(run, other, 10);
          halted = run.nextCheckpoint();
          assertThat(run.marksBefore(halted.number()).get(ONE).faults()).hasSize(2);
        }
        // Whoever goes on from there, or from the table.
        Gate gate = TestServer.gate(2);
        try (SourceRun run = new SourceRun()) {
          run.answerFrom(gate, specs, Map.of());
          run.shared().table =
              Optional.of(
                  TestServer.answered(
                      gate,
                      HelloAnswer.CONTINUE,
                      specs.stream().flatMap(spec -> spec.shardIds().stream()).toList(),
                      ShardPhase.ACTIVE,
                      Map.of()));
          run.start(specs, gate, 1, QUICK_CHECKPOINTS, state, Optional.of(halted.path()), true);
          assertHaltedAlone(run, other, 11);
        }
        SourcePosition there = position(other).on(Optional.of("server_id 202"));
        try (SourceRun run = running(specs, 3, Map.of(ONE, before, OTHER, there))) {
          assertHaltedAlone(run, other, 12);
          assertThat(faultsOf(run, ONE)).allMatch(fault -> fault.contains("binlogs were reset"));
        }
      }
    }
  }

  /** All shards of one server stand, with reason and cure; those of the other go on. */
  private static void assertHaltedAlone(SourceRun run, TestServer other, int id) throws Exception {
    patiently().until(() -> faultsOf(run, ONE).size() == 2);
    assertThat(faultsOf(run, ONE))
        .allMatch(fault -> fault.matches("(?s)Cannot read on shard [01] \\(d\\.[ab]\\) .*"))
        .allMatch(fault -> fault.contains("of server one at binlog.00000"))
        .allMatch(fault -> fault.contains("cure: "));
    Optional<Watermark> stands = run.lastMark(ONE).flatMap(SourceMark::watermark);
    other.execute("INSERT INTO d.b VALUES (" + id + ")");
    Watermark after = watermarkOf(other);
    patiently()
        .until(
            () ->
                run.rows().stream()
                    .anyMatch(
                        row -> row.shard().equals(new ShardId(3)) && row.row().getInt(1) == id));
    patiently()
        .until(
            () ->
                run.lastMark(OTHER)
                    .flatMap(SourceMark::watermark)
                    .filter(now -> now.compareTo(after) > 0)
                    .isPresent());
    assertThat(run.lastMark(ONE).flatMap(SourceMark::watermark)).isEqualTo(stands);
    assertThat(run.lastMark(OTHER).orElseThrow().faults()).isEmpty();
    assertThat(run.rows())
        .as("nothing from behind it")
        .noneMatch(row -> row.shard().value() < 2 && row.origin() == ShardRow.Origin.CHANGE);
    assertThat(run.running()).isTrue();
  }

  private static Collection<String> faultsOf(SourceRun run, ServerName server) {
    return run.lastMark(server).map(mark -> mark.faults().values()).orElse(List.of());
  }

  /** Sources that have copied, or begun to read from the table's positions. */
  private SourceRun running(
      List<SourceSpec> specs, long incarnation, Map<ServerName, SourcePosition> from)
      throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(incarnation);
    run.answerFrom(gate, specs, from);
    run.start(specs, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
    patiently()
        .until(
            () ->
                specs.stream()
                    .allMatch(
                        spec ->
                            run.lastMark(spec.server())
                                .filter(
                                    mark ->
                                        mark.watermark().isPresent() || !mark.faults().isEmpty())
                                .isPresent()));
    return run;
  }

  /** The same source under another name, at another port, with its shards' numbers from one on. */
  private static SourceSpec moved(
      SourceSpec spec, ServerName name, int port, SourceSpec.Connection login, int firstShard) {
    List<SourceSpec.Shard> shards = new ArrayList<>();
    for (SourceSpec.Shard shard : spec.shards()) {
      shards.add(
          new SourceSpec.Shard(
              new ShardId(firstShard + shards.size()), shard.database(), shard.table()));
    }
    return new SourceSpec(
        name,
        new SourceSpec.Connection(
            login.hostname(), port, login.username(), login.password(), login.jdbcProperties()),
        shards,
        spec.layout(),
        spec.schemas(),
        5400 + 100 * firstShard,
        5407 + 100 * firstShard,
        spec.snapshot(),
        spec.timing(),
        spec.debezium());
  }

  /** With GTIDs: they and not the files say what was read. */
  @Test
  void logsOfMySqlThatWereResetStopItsShardsAlsoAfterARestart() throws Exception {
    try (TestServer server = ServerKind.MYSQL_5_6.start()) {
      server.execute(
          "CREATE DATABASE d",
          "CREATE TABLE d.t (id INT PRIMARY KEY)",
          "INSERT INTO d.t VALUES (1)");
      SourceSpec spec = server.spec(1000, "d.t");
      SourcePosition before;
      try (SourceRun run = copied(spec, 1)) {
        server.execute("FLUSH LOGS", "INSERT INTO d.t VALUES (2), (3)");
        patiently().until(() -> run.rows().size() == 3);
        // A GTID that leaves others out; the watermark goes on behind it.
        String uuid = position(server).gtidSet().orElseThrow().split(":")[0];
        server.execute(
            "SET GTID_NEXT = '" + uuid + ":1000'",
            "INSERT INTO d.t VALUES (5)",
            "SET GTID_NEXT = 'AUTOMATIC'");
        Watermark then = watermarkOf(server);
        patiently()
            .until(
                () ->
                    run.rows().size() == 4
                        && run.lastMark().flatMap(SourceMark::watermark).get().compareTo(then) > 0);
        before = run.lastMark().flatMap(SourceMark::position).orElseThrow();
        assertThat(before.gtidSet()).get().asString().contains(":1000");
      }
      server.execute("INSERT INTO d.t VALUES (6)");
      assertThat(changesFrom(spec, before, 1)).containsExactly("+I(0,6)");
      try (SourceRun run = running(List.of(spec), 3, Map.of(spec.server(), before))) {
        patiently().until(() -> run.rows().size() == 1);
        server.execute("RESET MASTER", "INSERT INTO d.t VALUES (4)");
        patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
        assertThat(run.rows()).hasSize(1);
      }
      // The file that was read has come again, and is longer than it was.
      server.execute("FLUSH LOGS", "INSERT INTO d.t VALUES " + values(10, 500));
      assertThat(BinlogOrder.compareFiles(position(server), before)).isPositive();
      try (SourceRun run = running(List.of(spec), 2, Map.of(spec.server(), before))) {
        patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
        assertThat(run.lastMark().orElseThrow().faults().get(new ShardId(0)))
            .contains("Cannot read on shard 0 (d.t) of server mariadb-1 at ")
            .contains("cure: ");
        assertThat(run.rows()).isEmpty();
        assertThat(run.running()).isTrue();
      }
    }
  }

  private static String values(int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(id -> "(" + id + ")")
        .collect(Collectors.joining(", "));
  }

  private static List<ShardRow> awaitRows(SourceRun run, int rows) {
    patiently().until(() -> run.rows().stream().anyMatch(row -> row.row().getInt(1) == -1));
    return run.rows();
  }

  private static void assertEachOnce(int rows, List<ShardRow> first, List<ShardRow> second) {
    int[] seen = new int[rows + 1];
    first.forEach(row -> seen[row.row().getInt(1) + 1]++);
    second.forEach(row -> seen[row.row().getInt(1) + 1]++);
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i <= rows && wrong.size() < 10; i++) {
      if (seen[i] != 1) {
        wrong.add("row %d came %d times".formatted(i - 1, seen[i]));
      }
    }
    assertThat(wrong).isEmpty();
  }

  private List<String> changesFrom(SourceSpec spec, SourcePosition from, int rows)
      throws Exception {
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(9);
      run.answer(gate, spec, Optional.of(from));
      run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= rows);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      return run.rows().stream().map(row -> row.row().toString()).toList();
    }
  }

  private SourceRun copied(SourceSpec spec, long incarnation) throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(incarnation);
    run.answer(gate, spec, Optional.empty());
    run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
    patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
    return run;
  }

  private static SourceSpec slowly(SourceSpec spec, long rowsPerSecond) {
    return new SourceSpec(
        spec.server(),
        spec.connection(),
        spec.shards(),
        spec.layout(),
        spec.schemas(),
        spec.firstServerId(),
        spec.lastServerId(),
        new SourceSpec.Snapshot(spec.snapshot().chunks(), rowsPerSecond, Integer.MAX_VALUE),
        spec.timing(),
        spec.debezium());
  }

  private static SourcePosition position(TestServer server) throws SQLException {
    try (ProbeQuery query = new ProbeQuery(server.connect())) {
      return query.ask().position();
    }
  }

  private static Watermark watermarkOf(TestServer server) throws SQLException {
    try (ProbeQuery query = new ProbeQuery(server.connect())) {
      return query.ask().clock();
    }
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
  }
}
