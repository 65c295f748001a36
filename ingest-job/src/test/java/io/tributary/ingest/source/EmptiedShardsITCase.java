package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.TableColumns;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import io.tributary.registry.TruncateBehavior;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.flink.types.RowKind;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real server whose tables are emptied, dropped and created again while they are read. */
class EmptiedShardsITCase {
  private static final ShardId A = new ShardId(0);
  private static final ShardId B = new ShardId(1);
  private static final Duration CHECKPOINTS = Duration.ofMillis(300);
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static TestServer server;

  @TempDir Path state;
  private final String db = "emptied" + DATABASES.incrementAndGet();

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Two shards, a of 1,000 rows and b of one, in one database. */
  private SourceSpec spec() throws Exception {
    execute("CREATE DATABASE " + db);
    execute(
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE b (id INT PRIMARY KEY, v INT)",
        "INSERT INTO a SELECT seq, 0 FROM seq_1_to_1000",
        "INSERT INTO b VALUES (1, 10)");
    return emptying(server.spec(100, db + ".a", db + ".b"));
  }

  private static SourceSpec emptying(SourceSpec halting) {
    return new SourceSpec(
        halting.server(),
        halting.connection(),
        halting.shards(),
        halting.layout(),
        new SchemaPolicy(
            halting.schemas().behavior(), halting.schemas().columnTypes(), TruncateBehavior.EMPTY),
        halting.firstServerId(),
        halting.lastServerId(),
        halting.snapshot(),
        halting.timing(),
        halting.debezium());
  }

  private void execute(String... statements) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(statements[0].startsWith("CREATE DATABASE") ? "SELECT 1" : "USE " + db);
    all.addAll(List.of(statements));
    server.execute(all.toArray(String[]::new));
  }

  /** A run whose copy is complete. */
  private SourceRun copied(SourceSpec spec) throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(1);
    run.answer(gate, spec, Optional.empty());
    run.start(spec, gate, 1, CHECKPOINTS, state, Optional.empty(), true);
    patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
    return run;
  }

  /** Goes on from Flink state, with the columns that the table has by now. */
  private SourceRun resumed(SourceSpec spec, int submission, String from, SourceRun before)
      throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(submission);
    run.answerContinue(gate, spec);
    run.shared().columns = before.shared().columns;
    run.start(spec, gate, 1, CHECKPOINTS, state, Optional.of(from), true);
    return run;
  }

  /** Goes on without Flink state from a position that the table has. */
  private SourceRun fromTable(SourceSpec spec, int submission, SourcePosition position)
      throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(submission);
    run.answer(gate, spec, Optional.of(position));
    run.start(spec, gate, 1, CHECKPOINTS, state, Optional.empty(), true);
    return run;
  }

  /** A shard's rows as the table has them when it applies everything in the order of its coming. */
  private static TreeMap<Object, String> table(ShardId shard, SourceRun... runs) {
    TreeMap<Object, String> rows = new TreeMap<>();
    for (SourceRun run : runs) {
      for (SourceRun.Event event : run.events()) {
        if (event instanceof SourceRun.RowEvent at && at.row().shard().equals(shard)) {
          ShardRow row = at.row();
          if (row.row().getRowKind() == RowKind.DELETE) {
            rows.remove(row.row().getField(1));
          } else {
            String text = row.row().toString();
            rows.put(row.row().getField(1), text.substring(text.indexOf('(')));
          }
        } else if (event instanceof SourceRun.MarkEvent at
            && at.mark().emptied().filter(now -> now.shards().contains(shard)).isPresent()) {
          rows.clear();
        }
      }
    }
    return rows;
  }

  private static void awaitTable(ShardId shard, List<String> rows, SourceRun... runs) {
    patiently()
        .untilAsserted(
            () -> assertThat(table(shard, runs).values()).containsExactlyElementsOf(rows));
  }

  private static List<Emptied> emptied(SourceRun run) {
    List<Emptied> all = new ArrayList<>();
    for (SourceRun.Event event : run.events()) {
      if (event instanceof SourceRun.MarkEvent at) {
        at.mark().emptied().ifPresent(all::add);
      }
    }
    return all;
  }

  /** The table has what the source asked for. */
  private static void evolve(SourceRun run, RequestedColumn column) {
    patiently()
        .until(
            () ->
                run.lastMark().stream()
                    .flatMap(mark -> mark.wishes().stream())
                    .anyMatch(wish -> wish.columns().equals(List.of(column))));
    TableColumns before = run.shared().columns.orElseThrow();
    List<TableColumns.Column> all = new ArrayList<>(before.columns());
    all.add(
        new TableColumns.Column(
            all.size() + 1, column.name(), ColumnType.parse(column.type()), false));
    run.shared().columns = Optional.of(new TableColumns(before.columns().size(), all));
  }

  private static String awaitFault(SourceRun run, ShardId shard) {
    patiently()
        .until(() -> run.lastMark().filter(mark -> mark.faults().containsKey(shard)).isPresent());
    return run.lastMark().orElseThrow().faults().get(shard);
  }

  private static void assertNoFault(SourceRun run) {
    assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
  }

  /** Field case D4. */
  @Test
  void d4_aShardThatIsEmptiedOrCreatedAgainHasTheNewRowsAndItsSiblingIsUntouched()
      throws Exception {
    SourceSpec spec = spec();
    try (SourceRun run = copied(spec)) {
      assertThat(table(A, run)).hasSize(1000);
      execute(
          "UPDATE a SET v = 1 WHERE id < 9",
          "TRUNCATE a",
          "INSERT INTO a VALUES (1, 11), (2, 12), (1000, 13)",
          "INSERT INTO b VALUES (2, 20)");
      awaitTable(A, List.of("(0,1,11)", "(0,2,12)", "(0,1000,13)"), run);
      awaitTable(B, List.of("(1,1,10)", "(1,2,20)"), run);
      assertThat(emptied(run))
          .extracting(Emptied::shards)
          .hasSize(1)
          .first()
          .asString()
          .isEqualTo("[0]");

      execute("DROP TABLE a", "INSERT INTO b VALUES (3, 30)");
      awaitTable(A, List.of(), run);
      awaitTable(B, List.of("(1,1,10)", "(1,2,20)", "(1,3,30)"), run);
      // While there is no table the shard has no rows, and that is known up to a later time.
      Watermark then = run.lastMark().orElseThrow().watermark().orElseThrow();
      patiently()
          .until(
              () ->
                  run.lastMark()
                      .flatMap(SourceMark::watermark)
                      .filter(now -> now.compareTo(then) > 0)
                      .isPresent());
      execute(
          "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
          "INSERT INTO a VALUES (2, 22)",
          "INSERT INTO b VALUES (4, 40)");
      awaitTable(A, List.of("(0,2,22)"), run);
      awaitTable(B, List.of("(1,1,10)", "(1,2,20)", "(1,3,30)", "(1,4,40)"), run);

      // With another column in the place of one of before.
      execute(
          "DROP TABLE a",
          "CREATE TABLE a (c VARCHAR(9), id INT PRIMARY KEY)",
          "INSERT INTO a VALUES ('x', 3)");
      evolve(run, new RequestedColumn("c", "string"));
      awaitTable(A, List.of("(0,3,null,x)"), run);
      assertNoFault(run);
      assertThat(emptied(run)).hasSize(3);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatFollowsAnEmptyingIsNeverPassedOnBeforeItsBarrier(boolean chained) throws Exception {
    SourceSpec spec = spec();
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, chained ? 1 : 2, CHECKPOINTS, state, Optional.empty(), chained);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      for (int i = 1; i <= 5; i++) {
        execute(
            "INSERT INTO a VALUES (" + (2000 + i) + ", " + i + ")",
            "TRUNCATE TABLE a",
            "INSERT INTO a VALUES (" + i + ", " + (100 + i) + ")",
            "INSERT INTO b VALUES (" + (100 + i) + ", 0)");
      }
      patiently()
          .until(
              () ->
                  run.rows().stream().anyMatch(row -> row.row().toString().equals("+I(0,5,105)")));
      List<Emptied> emptied = emptied(run);
      assertThat(emptied).hasSize(5);
      assertThat(emptied).extracting(Emptied::checkpointId).isSorted().doesNotHaveDuplicates();
      for (int i = 1; chained && i <= 5; i++) {
        // Only then do rows and barriers come in one order.
        List<String> before =
            run.rowsBefore(emptied.get(i - 1).checkpointId()).stream()
                .map(row -> row.row().toString())
                .toList();
        assertThat(before).contains("+I(0,%d,%d)".formatted(2000 + i, i));
        assertThat(before).doesNotContain("+I(0,%d,%d)".formatted(i, 100 + i));
      }
      assertNoFault(run);
    }
  }

  @Test
  void anEmptyingIsNeitherLostNorRepeatedByWhoeverGoesOn() throws Exception {
    SourceSpec spec = spec();
    String before;
    String behind;
    SourcePosition inFront;
    SourcePosition after;
    try (SourceRun first = copied(spec)) {
      patiently().until(() -> first.newestCheckpoint().isPresent());
      patiently().until(() -> first.atBarrier(mark -> mark.watermark().isPresent()).isPresent());
      inFront = first.atBarrier(mark -> true).orElseThrow().mark().position().orElseThrow();
      before = first.stopWithSavepoint(state.resolve("before"));
    }
    execute("TRUNCATE a", "INSERT INTO a VALUES (1, 11)", "INSERT INTO b VALUES (2, 20)");
    // From Flink state in front of the statement: it is met, and its barrier is a savepoint's.
    try (SourceRun run = resumed(spec, 2, before, new SourceRun())) {
      patiently().until(() -> !emptied(run).isEmpty());
      awaitTable(A, List.of("(0,1,11)"), run);
      after =
          run.atBarrier(mark -> mark.emptied().isPresent())
              .orElseThrow()
              .mark()
              .position()
              .orElseThrow();
      behind = run.stopWithSavepoint(state.resolve("behind"));
      assertThat(emptied(run)).hasSize(1);
    }
    execute("INSERT INTO a VALUES (2, 12)");
    try (SourceRun run = resumed(spec, 3, behind, new SourceRun())) {
      awaitTable(A, List.of("(0,2,12)"), run);
      assertThat(emptied(run)).isEmpty();
    }
    // Without Flink state: from a position in front of the statement, and from the one that the
    // epoch of its barrier has.
    try (SourceRun run = fromTable(spec, 4, inFront)) {
      awaitTable(A, List.of("(0,1,11)", "(0,2,12)"), run);
      assertThat(emptied(run)).hasSize(1);
    }
    try (SourceRun run = fromTable(spec, 5, after)) {
      awaitTable(A, List.of("(0,1,11)", "(0,2,12)"), run);
      assertThat(emptied(run)).isEmpty();
      assertNoFault(run);
    }
  }

  @Test
  void aTableThatIsGoneIsGoneForWhoeverGoesOnUntilItIsCreated() throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec)) {
      execute("DROP TABLE IF EXISTS a", "INSERT INTO b VALUES (2, 20)");
      awaitTable(B, List.of("(1,1,10)", "(1,2,20)"), run);
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
      assertThat(emptied(run)).hasSize(1);
    }
    execute("INSERT INTO b VALUES (3, 30)", "DROP TABLE IF EXISTS a");
    try (SourceRun run = resumed(spec, 2, savepoint, new SourceRun())) {
      awaitTable(B, List.of("(1,3,30)"), run);
      assertNoFault(run);
      execute("CREATE TABLE a (id INT, v INT)", "INSERT INTO b VALUES (4, 40)");
      assertThat(awaitFault(run, A))
          .contains("expected (id) to be a key")
          .contains("'CREATE TABLE a (id INT, v INT)'");
      awaitTable(B, List.of("(1,3,30)", "(1,4,40)"), run);
    }
    execute(
        "INSERT INTO a VALUES (1, 1)",
        "DROP TABLE a",
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "INSERT INTO a VALUES (2, 2)");
    try (SourceRun run = resumed(spec, 3, savepoint, new SourceRun())) {
      awaitTable(B, List.of("(1,3,30)", "(1,4,40)"), run);
      awaitTable(A, List.of("(0,2,2)"), run);
      assertNoFault(run);
    }
  }

  @Test
  void everyWayToEmptyAShardIsSeenFromWhereverItIsWritten() throws Exception {
    SourceSpec spec = spec();
    try (SourceRun run = copied(spec)) {
      execute(
          "CREATE OR REPLACE TABLE a (id INT PRIMARY KEY, v INT)", "INSERT INTO a VALUES (1, 1)");
      awaitTable(A, List.of("(0,1,1)"), run);
      execute("SET sql_mode = 'ANSI_QUOTES'", "TRUNCATE TABLE\"a\"", "INSERT INTO a VALUES (2, 2)");
      awaitTable(A, List.of("(0,2,2)"), run);
      server.execute(
          "USE mysql", "TRUNCATE TABLE`" + db + "`.`a`", "INSERT INTO " + db + ".a VALUES (3, 3)");
      awaitTable(A, List.of("(0,3,3)"), run);
      execute(
          "CREATE TABLE c LIKE a",
          "DROP TABLE c, a /* both */, b",
          "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE IF NOT EXISTS b LIKE a",
          "CREATE TABLE IF NOT EXISTS b (other INT)",
          "INSERT INTO a VALUES (4, 4)",
          "INSERT INTO b VALUES (5, 5)");
      awaitTable(A, List.of("(0,4,4)"), run);
      awaitTable(B, List.of("(1,5,5)"), run);
      assertNoFault(run);
      execute("DROP TABLE b", "CREATE TABLE b (PRIMARY KEY (id)) SELECT 6 AS id, 60 AS v");
      awaitTable(B, List.of("(1,6,60)"), run);
      execute("CREATE OR REPLACE TABLE b (PRIMARY KEY (id)) SELECT 7 AS id, 70 AS v");
      awaitTable(B, List.of("(1,7,70)"), run);
      assertNoFault(run);
      // What brings rows that nobody has seen still halts.
      execute("CREATE TABLE d LIKE a", "INSERT INTO d VALUES (9, 9)", "DROP TABLE a");
      awaitTable(A, List.of(), run);
      execute("ALTER TABLE d RENAME TO a");
      assertThat(awaitFault(run, A)).contains("renames the table: 'ALTER TABLE d RENAME TO a'");
      awaitTable(B, List.of("(1,7,70)"), run);
    }
  }

  @Test
  void aShardThatIsEmptiedWhileItIsCopiedIsHaltedByName() throws Exception {
    SourceSpec whole = spec();
    SourceSpec spec =
        new SourceSpec(
            whole.server(),
            whole.connection(),
            whole.shards(),
            whole.layout(),
            whole.schemas(),
            whole.firstServerId(),
            whole.lastServerId(),
            new SourceSpec.Snapshot(whole.snapshot().chunks(), 200, 1),
            whole.timing(),
            whole.debezium());
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, CHECKPOINTS, state, Optional.empty(), true);
      patiently().until(() -> !table(A, run).isEmpty());
      execute("TRUNCATE a", "INSERT INTO a VALUES (1001, 1)");
      assertThat(awaitFault(run, A))
          .contains("expected no such statement while the shard is copied, found TRUNCATE");
      execute("INSERT INTO b VALUES (2, 20)");
      awaitTable(B, List.of("(1,1,10)", "(1,2,20)"), run);
      assertThat(emptied(run)).isEmpty();
      assertThat(Stream.of(A, B))
          .filteredOn(run.lastMark().orElseThrow().faults()::containsKey)
          .containsExactly(A);
    }
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(100));
  }
}
