package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.TableColumns;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import io.tributary.registry.SchemaChangeBehavior;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server whose tables change while they are read. */
class SchemaChangesITCase {
  private static final ShardId A = new ShardId(0);
  private static final ShardId B = new ShardId(1);
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static TestServer server;

  @TempDir Path state;
  private final String db = "evolving" + DATABASES.incrementAndGet();
  private int schemaId;

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Two shards, a and b, in one database, with a row each. */
  private SourceSpec spec() throws Exception {
    execute("CREATE DATABASE " + db);
    for (String table : List.of("a", "b")) {
      execute(
          "CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT, d DATE)",
          "INSERT INTO " + table + " VALUES (1, 10, '2024-01-31')");
    }
    return server.spec(100, db + ".a", db + ".b");
  }

  private void execute(String... statements) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(statements[0].startsWith("CREATE DATABASE") ? "SELECT 1" : "USE " + db);
    all.addAll(List.of(statements));
    server.execute(all.toArray(String[]::new));
  }

  /** A run whose copy is complete. */
  private SourceRun copied(SourceSpec spec, int parallelism) throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(1);
    run.answer(gate, spec, Optional.empty());
    run.start(
        spec, gate, parallelism, Duration.ofMillis(300), state, Optional.empty(), parallelism == 1);
    patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
    return run;
  }

  private static List<String> rows(SourceRun run, ShardId shard) {
    return run.rows().stream()
        .filter(row -> row.shard().equals(shard))
        .map(row -> row.schemaFingerprint() + ": " + row.row())
        .toList();
  }

  private static void awaitLast(SourceRun run, ShardId shard, String row) {
    patiently()
        .untilAsserted(
            () -> {
              List<String> rows = rows(run, shard);
              assertThat(rows.isEmpty() ? "none" : rows.get(rows.size() - 1))
                  .as("last row; the reader says %s", run.lastMark())
                  .isEqualTo(row);
            });
  }

  private static void awaitWish(SourceRun run, ShardId shard, RequestedColumn... columns) {
    patiently()
        .untilAsserted(
            () ->
                assertThat(run.lastMark().map(SourceMark::wishes).orElse(List.of()))
                    .anySatisfy(
                        wish -> {
                          assertThat(wish.shard()).isEqualTo(shard);
                          assertThat(wish.columns()).containsExactly(columns);
                        }));
  }

  /** A row may be seen before the mark that comes behind it. */
  private static void awaitNoWish(SourceRun run) {
    patiently().until(() -> run.lastMark().orElseThrow().wishes().isEmpty());
  }

  private static String awaitFault(SourceRun run, ShardId shard) {
    patiently()
        .until(() -> run.lastMark().filter(mark -> mark.faults().containsKey(shard)).isPresent());
    return run.lastMark().orElseThrow().faults().get(shard);
  }

  /** The table gets a column, or a wider one. */
  private void evolve(SourceRun run, RequestedColumn... columns) {
    TableColumns before = run.shared().columns.orElseThrow();
    List<TableColumns.Column> all = new ArrayList<>(before.columns());
    for (RequestedColumn column : columns) {
      Optional<ColumnType> type = ColumnType.parse(column.type());
      assertThat(type).as(column.type()).isPresent();
      int place = before.column(column.name()).map(before.columns()::indexOf).orElse(-1);
      TableColumns.Column now =
          new TableColumns.Column(
              place >= 0 ? before.columns().get(place).fieldId() : all.size() + 1,
              column.name(),
              type,
              place >= 0 && before.columns().get(place).required());
      if (place < 0) {
        all.add(now);
      } else {
        all.set(place, now);
      }
    }
    run.shared().columns = Optional.of(new TableColumns(++schemaId, all));
  }

  @Test
  void waitsForColumnsThatTheTableDoesNotHaveAndThenReadsOnWithThem() throws Exception {
    try (SourceRun run = copied(spec(), 1)) {
      execute(
          "INSERT INTO a VALUES (2, 20, NULL)",
          "ALTER TABLE a ADD c DECIMAL(10,2) NOT NULL, ADD e DATE NOT NULL DEFAULT '0000-00-00',"
              + " ADD l VARCHAR(9) CHARACTER SET latin1 AFTER id, ADD t TIME,"
              + " ADD z TIMESTAMP NOT NULL DEFAULT 0",
          "INSERT INTO a VALUES (3, 'é', 30, '2024-02-29', 12.50, '2024-03-01', '-00:00:01', 0)",
          "INSERT INTO b VALUES (2, 20, NULL)");
      RequestedColumn[] wanted = {
        new RequestedColumn("l", "string"),
        new RequestedColumn("c", "decimal(10, 2)"),
        new RequestedColumn("e", "date"),
        new RequestedColumn("t", "string"),
        new RequestedColumn("z", "timestamptz")
      };
      awaitWish(run, A, wanted);
      assertThat(rows(run, A)).containsExactly("0: +I(0,1,10,19753)", "0: +I(0,2,20,null)");
      evolve(run, wanted);
      awaitLast(run, B, "1: +I(1,2,20,null,null,null,null,null,null)");
      assertThat(rows(run, A).get(2)).isEqualTo("1: +I(0,3,30,19782,é,12.50,19783,-00:00:01,null)");
      awaitNoWish(run);
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();

      execute("ALTER TABLE b ADD c DECIMAL(10,2)", "INSERT INTO b VALUES (3, 30, NULL, 7)");
      awaitLast(run, B, "1: +I(1,3,30,null,null,7.00,null,null,null)");
      execute("UPDATE a SET v = 11 WHERE id = 1");
      awaitLast(run, A, "1: +U(0,1,11,19753,null,0.00,null,null,null)");
    }
  }

  @Test
  void aTypeThatIsWidenedIsWaitedForAndSiblingsThatAreNotYetWidenedFit() throws Exception {
    try (SourceRun run = copied(spec(), 2)) {
      execute(
          "ALTER TABLE a MODIFY v BIGINT, MODIFY id BIGINT",
          "INSERT INTO a VALUES (6000000000, 5000000000, NULL)");
      awaitWish(run, A, new RequestedColumn("id", "long"), new RequestedColumn("v", "long"));
      evolve(run, new RequestedColumn("id", "long"), new RequestedColumn("v", "long"));
      awaitLast(run, A, "1: +I(0,6000000000,5000000000,null)");
      execute("INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "1: +I(1,2,20,null)");
      assertThat(run.rows().get(run.rows().size() - 1).row().getField(1)).isEqualTo(2L);
      // Narrower again: the table stays as it is, and nothing is lost.
      execute("ALTER TABLE b MODIFY v SMALLINT", "INSERT INTO b VALUES (3, 30, NULL)");
      awaitLast(run, B, "1: +I(1,3,30,null)");
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
    }
  }

  /** Ends a run that waits for columns, with its state. */
  private String stopWhileItWaits(SourceRun run, ShardId shard, RequestedColumn... columns)
      throws Exception {
    awaitWish(run, shard, columns);
    patiently().until(() -> run.atBarrier(mark -> !mark.wishes().isEmpty()).isPresent());
    return run.stopWithSavepoint(state.resolve("savepoint"));
  }

  /** Goes on from a savepoint, with the table as it was before all changes. */
  private SourceRun resumed(SourceSpec spec, int submission, String savepoint) throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(submission);
    run.answerContinue(gate, spec);
    run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.of(savepoint), true);
    return run;
  }

  @Test
  void goesOnFromASavepointThatWasTakenWhileItWaited() throws Exception {
    SourceSpec spec = spec();
    RequestedColumn[] wanted = {new RequestedColumn("c", "int"), new RequestedColumn("e", "date")};
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE a ADD c INT, ADD e DATE",
          "INSERT INTO a VALUES (2, 20, NULL, 5, '2024-01-31')");
      savepoint = stopWhileItWaits(run, A, wanted);
    }
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitWish(run, A, wanted);
      assertThat(run.rows()).isEmpty();
      evolve(run, wanted);
      awaitLast(run, A, "1: +I(0,2,20,null,5,19753)");
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    // And from one behind the change.
    execute("INSERT INTO a VALUES (3, 30, NULL, 6, NULL)");
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(3);
      run.answerContinue(gate, spec);
      run.shared().columns = Optional.of(SourceRun.columns(0, spec.layout()));
      evolve(run, wanted);
      run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.of(savepoint), true);
      awaitLast(run, A, "2: +I(0,3,30,null,6,null)");
      assertThat(rows(run, A)).hasSize(1);
    }
  }

  @Test
  void goesOnFromASavepointThatWasTakenWhileItWaitedForAWiderType() throws Exception {
    SourceSpec spec = spec();
    RequestedColumn wider = new RequestedColumn("v", "long");
    RequestedColumn further = new RequestedColumn("c", "int");
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute("ALTER TABLE a MODIFY v BIGINT", "INSERT INTO a VALUES (2, 5000000000, NULL)");
      savepoint = stopWhileItWaits(run, A, wider);
    }
    execute("ALTER TABLE a ADD c INT FIRST", "INSERT INTO a VALUES (7, 3, 6000000000, NULL)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitWish(run, A, wider);
      assertThat(run.rows()).isEmpty();
      evolve(run, wider);
      awaitWish(run, A, further);
      assertThat(rows(run, A)).containsExactly("1: +I(0,2,5000000000,null)");
      evolve(run, further);
      awaitLast(run, A, "2: +I(0,3,6000000000,null,7)");
    }
  }

  @Test
  void goesOnFromASavepointThatWasTakenBehindAStatementThatTheReaderCannotParse() throws Exception {
    SourceSpec spec = spec();
    RequestedColumn wanted = new RequestedColumn("c", "int");
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE a WAIT 10 ADD COLUMN IF NOT EXISTS c INT AFTER id",
          "INSERT INTO a VALUES (2, 5, 20, NULL)");
      savepoint = stopWhileItWaits(run, A, wanted);
    }
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitWish(run, A, wanted);
      assertThat(run.rows()).isEmpty();
      evolve(run, wanted);
      awaitLast(run, A, "1: +I(0,2,20,null,5)");
    }
  }

  @Test
  void aColumnThatIsRenamedBehindAStatementThatNobodyCouldParseHaltsTheShardForWhoeverGoesOn()
      throws Exception {
    SourceSpec both = spec();
    SourceSpec spec = both.withShards(List.of(both.shards().get(0)));
    RequestedColumn wanted = new RequestedColumn("c", "int");
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute("ALTER TABLE a WAIT 10 ADD COLUMN IF NOT EXISTS c INT AFTER id");
      savepoint = stopWhileItWaits(run, A, wanted);
    }
    execute("ALTER TABLE a CHANGE v w INT", "INSERT INTO a VALUES (2, 5, 20, NULL)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      assertThat(awaitFault(run, A)).contains("found columns [c, w] in the place of [v]");
      assertThat(run.rows()).isEmpty();
    }
  }

  @Test
  void rowsThatHaveOtherColumnsThanTheServerByThenAreNotTakenForThem() throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    execute(
        "ALTER TABLE a WAIT 10 COMMENT 'that nobody can parse'",
        "INSERT INTO a VALUES (2, 20, NULL)",
        "ALTER TABLE a DROP v",
        "INSERT INTO a VALUES (3, NULL)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      assertThat(awaitFault(run, A))
          .contains("expected rows of table " + db + ".a with the 2 columns that it has now")
          .contains("found 3; cure: ");
      assertThat(rows(run, A)).isEmpty();
    }
  }

  /** What gh-ost does before it renames: a copy of shard a with one more column. */
  private void copyByTool(String column) throws Exception {
    execute(
        "CREATE /* gh-ost */ TABLE _a_gho LIKE a",
        "ALTER /* gh-ost */ TABLE _a_gho ADD COLUMN " + column + " DATE AFTER id");
    execute("INSERT /* gh-ost */ IGNORE INTO _a_gho (id, v, d) SELECT id, v, d FROM a");
  }

  private void swapByTool() throws Exception {
    execute(
        "RENAME /* gh-ost */ TABLE a TO _a_del, _a_gho TO a",
        "DROP /* gh-ost */ TABLE IF EXISTS _a_del");
  }

  @Test
  void goesOnFromASavepointThatWasTakenBehindTheSwapOfAnOnlineSchemaChange() throws Exception {
    SourceSpec spec = spec();
    RequestedColumn first = new RequestedColumn("c", "date");
    RequestedColumn second = new RequestedColumn("e", "date");
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      copyByTool("c");
      swapByTool();
      execute("INSERT INTO a VALUES (2, '2024-01-31', 20, NULL)");
      savepoint = stopWhileItWaits(run, A, first);
    }
    // The columns that the server has by then are not those of the rows behind the first swap.
    copyByTool("e");
    swapByTool();
    execute("INSERT INTO a VALUES (3, '2024-02-01', '2024-02-02', 30, NULL)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitWish(run, A, first);
      assertThat(run.rows()).isEmpty();
      evolve(run, first);
      awaitWish(run, A, second);
      assertThat(rows(run, A)).containsExactly("1: +I(0,2,20,null,19753)");
      evolve(run, second);
      awaitLast(run, A, "2: +I(0,3,30,null,19755,19754)");
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
    }
  }

  @Test
  void goesOnFromASavepointThatWasTakenWhileAToolMadeItsCopy() throws Exception {
    SourceSpec spec = spec();
    RequestedColumn wanted = new RequestedColumn("c", "date");
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      copyByTool("c");
      execute("INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    execute("UPDATE a SET v = v + 1", "UPDATE _a_gho SET v = v + 1");
    swapByTool();
    execute("INSERT INTO a VALUES (2, '2024-01-31', 20, NULL)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitWish(run, A, wanted);
      assertThat(rows(run, A)).containsExactly("0: +U(0,1,11,19753)");
      // The change reader has never seen the copy: whoever goes on asks the server again.
      savepoint = stopWhileItWaits(run, A, wanted);
    }
    try (SourceRun run = resumed(spec, 3, savepoint)) {
      awaitWish(run, A, wanted);
      evolve(run, wanted);
      awaitLast(run, A, "1: +I(0,2,20,null,19753)");
      assertThat(rows(run, A)).hasSize(1);
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
    }
  }

  /** As gh-ost does with a cut-over in two steps: for a moment there is no table. */
  @Test
  void aShardThatIsRenamedInTwoStepsStaysHaltedForWhoeverGoesOnFromBetweenThem() throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      copyByTool("c");
      execute("RENAME TABLE a TO _a_del", "INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      assertThat(awaitFault(run, A)).contains("'RENAME TABLE a TO _a_del', which ends at ");
      patiently().until(() -> run.atBarrier(mark -> mark.faults().size() == 1).isPresent());
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    execute(
        "RENAME TABLE _a_gho TO a",
        "INSERT INTO a VALUES (2, '2024-01-31', 20, NULL)",
        "INSERT INTO b VALUES (3, 30, NULL)");
    // The table does not say yet that the shard is halted.
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitLast(run, B, "0: +I(1,3,30,null)");
      assertThat(awaitFault(run, A)).contains("RENAME TABLE a TO _a_del");
      awaitNoWish(run);
      assertThat(rows(run, A)).isEmpty();
      assertThat(run.running()).isTrue();
    }
  }

  @Test
  void aColumnThatAToolsCopyHasUnderAnotherNameHaltsTheShard() throws Exception {
    try (SourceRun run = copied(spec(), 1)) {
      execute(
          "CREATE /* gh-ost */ TABLE _a_gho LIKE a",
          "ALTER /* gh-ost */ TABLE _a_gho CHANGE v w INT",
          "INSERT /* gh-ost */ IGNORE INTO _a_gho SELECT * FROM a");
      swapByTool();
      execute("INSERT INTO a VALUES (2, 20, NULL)", "INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      assertThat(awaitFault(run, A)).contains("found columns [w] in the place of [v]");
      execute("ALTER TABLE b WAIT 10 CHANGE v w INT", "INSERT INTO b VALUES (3, 30, NULL)");
      assertThat(awaitFault(run, B))
          .contains("expected a statement on columns in the place of others")
          .contains("'ALTER TABLE b WAIT 10 CHANGE v w INT', which ends at ");
      assertThat(rows(run, A)).hasSize(1);
      assertThat(rows(run, B)).hasSize(2);
      awaitNoWish(run);
    }
  }

  @Test
  void aColumnThatGoesIsNullFromThenOnAndIsAnotherOneWhenItComesBack() throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute("ALTER TABLE a DROP v", "INSERT INTO a VALUES (2, '2024-01-31')");
      awaitLast(run, A, "0: +I(0,2,null,19753)");
      awaitColumns(run, A, columns(Map.of(), Set.of(V), Set.of()));
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    // Rows of before have no value in it now, but in the table they have.
    execute("ALTER TABLE a ADD v INT", "INSERT INTO a VALUES (3, NULL, 4)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      assertThat(awaitFault(run, A))
          .contains("expected column 'v', which the shard dropped, to stay away")
          .contains("'ALTER TABLE a ADD v INT', which ends at ");
      execute("INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      assertThat(rows(run, A)).isEmpty();
    }
  }

  private static final int V = 3;
  private static final int D = 4;

  private static ColumnDifferences columns(
      Map<Integer, String> renamed, Set<Integer> dropped, Set<Integer> unfilled) {
    return new ColumnDifferences(
        new TreeMap<>(renamed), new TreeSet<>(dropped), new TreeSet<>(unfilled));
  }

  private static void awaitColumns(SourceRun run, ShardId shard, ColumnDifferences columns) {
    patiently()
        .untilAsserted(
            () -> assertThat(run.lastMark().orElseThrow().columns()).containsEntry(shard, columns));
  }

  /** The table gives a column another name. */
  private void rename(SourceRun run, int field, String name) {
    run.shared().columns =
        Optional.of(
            new TableColumns(
                ++schemaId,
                run.shared().columns.orElseThrow().columns().stream()
                    .map(
                        column ->
                            column.fieldId() == field
                                ? new TableColumns.Column(
                                    field,
                                    name,
                                    column.type(),
                                    column.required(),
                                    Set.of(column.name()))
                                : column)
                    .toList()));
  }

  @Test
  void aRenamedColumnGoesOnInTheFieldThatItHadAlsoForWhoeverGoesOnAndWhenTheTableFollows()
      throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE a CHANGE v w INT",
          "INSERT INTO a VALUES (2, 20, NULL)",
          "UPDATE a SET w = 11 WHERE id = 1",
          "INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      assertThat(rows(run, A))
          .containsExactly("0: +I(0,1,10,19753)", "0: +I(0,2,20,null)", "0: +U(0,1,11,19753)");
      awaitColumns(run, A, columns(Map.of(V, "w"), Set.of(), Set.of()));
      assertThat(run.lastMark().orElseThrow().columns()).containsEntry(B, ColumnDifferences.NONE);
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    // And on to a third name.
    execute("INSERT INTO a VALUES (3, 30, NULL)");
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitLast(run, A, "0: +I(0,3,30,null)");
      execute(
          "ALTER TABLE a /* again */ RENAME COLUMN W TO `x`", "INSERT INTO a VALUES (4, 40, NULL)");
      awaitLast(run, A, "0: +I(0,4,40,null)");
      assertThat(rows(run, A)).containsExactly("0: +I(0,3,30,null)", "0: +I(0,4,40,null)");
      awaitColumns(run, A, columns(Map.of(V, "x"), Set.of(), Set.of()));
      // The sibling follows; for this test the table does then too.
      execute("ALTER TABLE b RENAME COLUMN v TO x", "INSERT INTO b VALUES (3, 30, NULL)");
      awaitLast(run, B, "0: +I(1,3,30,null)");
      awaitColumns(run, B, columns(Map.of(V, "x"), Set.of(), Set.of()));
      rename(run, V, "x");
      execute("ALTER TABLE b ADD INDEX (x), ADD z INT", "INSERT INTO b VALUES (4, 40, NULL, NULL)");
      awaitWish(run, B, new RequestedColumn("z", "int"));
      evolve(run, new RequestedColumn("z", "int"));
      awaitLast(run, B, "2: +I(1,4,null,null,40,null)");
      execute("INSERT INTO a VALUES (5, 50, NULL)");
      awaitLast(run, A, "2: +I(0,5,null,null,50,null)");
      awaitColumns(run, A, ColumnDifferences.NONE);
      awaitColumns(run, B, ColumnDifferences.NONE);
      // And back to the first name.
      execute("ALTER TABLE a CHANGE COLUMN x v INT", "INSERT INTO a VALUES (6, 60, NULL)");
      awaitLast(run, A, "2: +I(0,6,null,null,60,null)");
      awaitColumns(run, A, columns(Map.of(V, "v"), Set.of(), Set.of()));
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
    }
  }

  @Test
  void aColumnThatIsRenamedAndWidenedAtOnceIsWaitedForByItsField() throws Exception {
    SourceSpec spec = spec();
    RequestedColumn wanted = new RequestedColumn("v", "long", Optional.of(V));
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE a CHANGE v w BIGINT NOT NULL, ADD n INT NOT NULL DEFAULT 7",
          "INSERT INTO a VALUES (2, 5000000000, NULL, 8)");
      savepoint = stopWhileItWaits(run, A, wanted, new RequestedColumn("n", "int"));
    }
    try (SourceRun run = resumed(spec, 2, savepoint)) {
      awaitWish(run, A, wanted, new RequestedColumn("n", "int"));
      assertThat(run.rows()).isEmpty();
      evolve(run, wanted, new RequestedColumn("n", "int"));
      awaitLast(run, A, "1: +I(0,2,5000000000,null,8)");
      awaitColumns(run, A, columns(Map.of(V, "w"), Set.of(), Set.of(5)));
      execute("ALTER TABLE a RENAME COLUMN w TO v", "INSERT INTO a VALUES (3, 30, NULL, 9)");
      awaitLast(run, A, "1: +I(0,3,30,null,9)");
      awaitColumns(run, A, columns(Map.of(), Set.of(), Set.of(5)));
    }
  }

  @Test
  void columnsThatSwapTheirNamesOrAreDroppedAndAddedAnewAtOnceHaltTheirShard() throws Exception {
    SourceSpec spec = spec();
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE a ADD u INT",
          "ALTER TABLE a RENAME COLUMN v TO u, RENAME COLUMN u TO v",
          "INSERT INTO a VALUES (2, 20, NULL, 21)");
      awaitWish(run, A, new RequestedColumn("u", "int"));
      evolve(run, new RequestedColumn("u", "int"));
      assertThat(awaitFault(run, A))
          .contains("expected renamed columns to get names that no other column had")
          .contains("found 'v' renamed to 'u'")
          .contains("RENAME COLUMN u TO v', which ends at ");
      execute("ALTER TABLE b DROP d, ADD d DATE", "INSERT INTO b VALUES (2, 20, NULL)");
      assertThat(awaitFault(run, B))
          .contains("found column 'd' dropped and added anew in one statement");
      assertThat(rows(run, A)).hasSize(1);
      assertThat(rows(run, B)).hasSize(1);
    }
  }

  @Test
  void aJobWithoutFlinkStateTakesTheNamesThatTheTableRemembers() throws Exception {
    SourceSpec spec = spec();
    SourcePosition behind;
    try (SourceRun run = copied(spec, 1)) {
      execute("ALTER TABLE a CHANGE v w INT", "INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      patiently().until(() -> run.lastMark().flatMap(SourceMark::position).isPresent());
      awaitColumns(run, A, columns(Map.of(V, "w"), Set.of(), Set.of()));
      behind = run.lastMark().orElseThrow().position().orElseThrow();
    }
    execute("INSERT INTO a VALUES (2, 21, NULL)", "INSERT INTO b VALUES (3, 31, NULL)");
    try (SourceRun run = started(spec, 2, behind, A)) {
      awaitLast(run, A, "0: +I(0,2,21,null)");
      awaitLast(run, B, "0: +I(1,3,31,null)");
      awaitColumns(run, A, columns(Map.of(V, "w"), Set.of(), Set.of()));
      assertThat(run.lastMark().orElseThrow().columns()).containsEntry(B, ColumnDifferences.NONE);
      // Where other shards have renamed a column, one of its own by that name is none to be added.
      execute("ALTER TABLE b ADD w INT", "INSERT INTO a VALUES (3, 30, NULL)");
      assertThat(awaitFault(run, B))
          .contains(
              "expected column 'w' to be 'v' renamed, as it is at other shards, found a column of its own");
      awaitNoWish(run);
    }
    // A shard that the table knows nothing of but has the column of the new name alone.
    execute("DROP TABLE b", "CREATE TABLE b (id INT PRIMARY KEY, w INT, d DATE)");
    SourceSpec second = spec.withShards(List.of(spec.shards().get(1)));
    execute("INSERT INTO b VALUES (4, 40, NULL)");
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(3);
      run.answer(gate, second, Optional.empty());
      run.shared().table =
          Optional.of(
              withRenamed(
                  TestServer.answered(
                      gate,
                      HelloAnswer.START_FROM_TABLE,
                      spec.shardIds(),
                      ShardPhase.SNAPSHOT,
                      Optional.empty()),
                  A));
      run.start(second, gate, 1, Duration.ofMillis(300), state, Optional.empty(), true);
      awaitLast(run, B, "0: +I(1,4,40,null)");
      awaitColumns(run, B, columns(Map.of(V, "w"), Set.of(), Set.of()));
      execute("INSERT INTO b VALUES (5, 50, NULL)");
      awaitLast(run, B, "0: +I(1,5,50,null)");
      awaitColumns(run, B, columns(Map.of(V, "w"), Set.of(), Set.of()));
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
    }
  }

  /** Starts from a position of a table that remembers that a shard renamed v to w. */
  private SourceRun started(SourceSpec spec, int submission, SourcePosition at, ShardId renamed)
      throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(submission);
    run.answer(gate, spec, Optional.of(at));
    run.shared().table = run.shared().table.map(table -> withRenamed(table, renamed));
    run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.empty(), true);
    return run;
  }

  private static TableState withRenamed(TableState table, ShardId renamed) {
    TreeMap<ShardId, ShardState> shards = new TreeMap<>(table.shards());
    shards.computeIfPresent(
        renamed, (id, shard) -> shard.with(ColumnDifferences.renamed(Map.of(V, "w"))));
    return new TableState(
        table.tableUuid(),
        table.round(),
        table.term(),
        table.owner(),
        table.plan(),
        table.registryVersion(),
        table.controlOffset(),
        table.validThrough(),
        table.snapshot(),
        table.dataRound(),
        table.added(),
        table.removed(),
        table.committedAt(),
        table.groups(),
        shards,
        table.sources());
  }

  @Test
  void aColumnUnderANameThatTheTablesColumnHadBeforeHaltsItsShard() throws Exception {
    try (SourceRun run = copied(spec(), 1)) {
      rename(run, V, "w");
      execute("ALTER TABLE a ADD c INT", "INSERT INTO b VALUES (2, 20, NULL)");
      assertThat(awaitFault(run, A))
          .contains(
              "expected column 'v' under the name that the table's column has by now, 'w', found the former one");
      assertThat(awaitFault(run, B)).contains("under the name that the table's column has by now");
      awaitNoWish(run);
      assertThat(run.rows()).hasSize(2);
    }
  }

  @Test
  void whatCannotBeAppliedHaltsThatShardAloneAlsoForWhoeverGoesOn() throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE a DROP v, ADD w INT AFTER id",
          "INSERT INTO a VALUES (2, 20, NULL)",
          "INSERT INTO b VALUES (2, 20, NULL)");
      awaitLast(run, B, "0: +I(1,2,20,null)");
      assertThat(awaitFault(run, A))
          .contains("Cannot read on shard 0 (" + db + ".a) of server mariadb-1 at ")
          .contains("found columns [w] in the place of [v]")
          .contains("'ALTER TABLE a DROP v, ADD w INT AFTER id', which ends at ")
          .contains("cure: ");
      assertThat(rows(run, A)).hasSize(1);
      assertThat(run.lastMark().orElseThrow().faults()).containsOnlyKeys(A);
      execute("ALTER TABLE b MODIFY v VARCHAR(20)", "INSERT INTO b VALUES (3, 'x', NULL)");
      assertThat(awaitFault(run, B))
          .contains("expected column 'v' of a type that fits into the table's int")
          .contains("found varchar(20) (string)")
          .contains("'ALTER TABLE b MODIFY v VARCHAR(20)'");
      assertThat(rows(run, B)).hasSize(2);
      patiently().until(() -> run.atBarrier(mark -> mark.faults().size() == 2).isPresent());
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    execute("INSERT INTO a VALUES (9, 90, NULL)", "INSERT INTO b VALUES (9, '90', NULL)");
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(2);
      run.shared().table =
          Optional.of(
              TestServer.answered(
                  gate,
                  HelloAnswer.CONTINUE,
                  spec.shardIds(),
                  ShardPhase.HALTED,
                  Optional.empty()));
      run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.of(savepoint), true);
      assertThat(awaitFault(run, A)).contains("[w] in the place of [v]");
      awaitNoWish(run);
      assertThat(run.lastMark().orElseThrow().faults()).hasSize(2);
      assertThat(run.rows()).isEmpty();
    }
  }

  @Test
  void withTheBehaviorExceptionEachChangeThatTheTableWouldHaveToFollowHaltsItsShard()
      throws Exception {
    SourceSpec evolving = spec();
    SourceSpec spec =
        new SourceSpec(
            evolving.server(),
            evolving.connection(),
            evolving.shards(),
            evolving.layout(),
            new SchemaPolicy(SchemaChangeBehavior.EXCEPTION, Map.of()),
            evolving.firstServerId(),
            evolving.lastServerId(),
            evolving.snapshot(),
            evolving.timing(),
            evolving.debezium());
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "ALTER TABLE b MODIFY v INT NOT NULL",
          "INSERT INTO b VALUES (2, 20, NULL)",
          "ALTER TABLE a ADD c INT",
          "INSERT INTO a VALUES (2, 20, NULL, 5)",
          "INSERT INTO b VALUES (3, 30, NULL)");
      awaitLast(run, B, "0: +I(1,3,30,null)");
      assertThat(awaitFault(run, A))
          .contains("schema.change.behavior: exception")
          .contains("found [c int], which the table does not hold")
          .contains("'ALTER TABLE a ADD c INT', which ends at ");
      assertThat(rows(run, A)).hasSize(1);
      assertThat(run.lastMark().orElseThrow().faults()).containsOnlyKeys(A);
      execute("ALTER TABLE b CHANGE v w INT");
      assertThat(awaitFault(run, B))
          .contains("(schema.change.behavior: exception), found renamed {w=v}");
    }
  }

  /** Field case D4. */
  @Test
  void d4_aShardThatIsEmptiedOrCreatedAgainHaltsAndItsSiblingGoesOn() throws Exception {
    SourceSpec spec = spec();
    String savepoint;
    try (SourceRun run = copied(spec, 1)) {
      execute(
          "TRUNCATE a",
          "INSERT INTO a VALUES (1, 11, NULL)",
          "INSERT INTO b VALUES (2, 20, NULL)",
          "DROP TABLE a",
          "CREATE TABLE a (id INT PRIMARY KEY, v INT, d DATE)",
          "INSERT INTO a VALUES (1, 12, NULL)",
          "INSERT INTO b VALUES (3, 30, NULL)");
      awaitLast(run, B, "0: +I(1,3,30,null)");
      assertThat(awaitFault(run, A))
          .contains("found TRUNCATE: 'TRUNCATE a', which ends at ")
          .contains("copied anew");
      assertThat(rows(run, A)).containsExactly("0: +I(0,1,10,19753)");
      patiently().until(() -> run.atBarrier(mark -> mark.faults().size() == 1).isPresent());
      savepoint = run.stopWithSavepoint(state.resolve("savepoint"));
    }
    execute("INSERT INTO a VALUES (9, 90, NULL)", "INSERT INTO b VALUES (9, 90, NULL)");
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(2);
      run.answerContinue(gate, spec);
      run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.of(savepoint), true);
      awaitLast(run, B, "0: +I(1,9,90,null)");
      assertThat(rows(run, A)).isEmpty();
      assertThat(awaitFault(run, A)).contains("TRUNCATE");
    }
  }

  /** Field case D10. */
  @Test
  void d10_statementsOfManyDialectsAreAppliedOrIgnored() throws Exception {
    try (SourceRun run = copied(spec(), 1)) {
      execute(
          "CREATE TABLE other (id INT PRIMARY KEY, g INT) ENGINE=Aria PAGE_CHECKSUM=1",
          "ALTER TABLE other ADD COLUMN IF NOT EXISTS z INET6, ADD PERIOD FOR SYSTEM_TIME(s, e),"
              + " ADD s TIMESTAMP(6) GENERATED ALWAYS AS ROW START,"
              + " ADD e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, ADD SYSTEM VERSIONING",
          "CREATE SEQUENCE numbers START WITH 100 INCREMENT BY 10",
          "FLUSH TABLES",
          "ALTER TABLE a ADD (c TINYINT DEFAULT 0 NOT NULL COMMENT '数量：rename it, drop partition'),"
              + " ADD f DATE DEFAULT curdate()",
          "INSERT INTO a (id, f) VALUES (2, '2024-01-31')",
          "INSERT INTO other (id) VALUES (1)",
          "ALTER TABLE a ADD COLUMN IF NOT EXISTS u UUID, ALGORITHM=INSTANT",
          "INSERT INTO b VALUES (2, 20, NULL)");
      awaitWish(run, A, new RequestedColumn("c", "int"), new RequestedColumn("f", "date"));
      evolve(run, new RequestedColumn("c", "int"), new RequestedColumn("f", "date"));
      awaitLast(run, B, "1: +I(1,2,20,null,null,null)");
      assertThat(rows(run, A)).contains("1: +I(0,2,null,null,0,19753)");
      assertThat(awaitFault(run, A))
          .contains("expected columns of table " + db + ".a that the change reader can read")
          .contains("behind 'ALTER TABLE a ADD COLUMN IF NOT EXISTS u UUID");
      assertThat(run.lastMark().orElseThrow().faults()).containsOnlyKeys(A);
    }
  }

  @Test
  void aColumnThatMariaDbsDialectAddsIsAppliedThoughTheReaderCannotParseIt() throws Exception {
    try (SourceRun run = copied(spec(), 1)) {
      execute(
          "ALTER TABLE a WAIT 10 ADD COLUMN IF NOT EXISTS c INT INVISIBLE",
          "INSERT INTO a (id, v, c) VALUES (2, 20, 5)");
      awaitWish(run, A, new RequestedColumn("c", "int"));
      evolve(run, new RequestedColumn("c", "int"));
      awaitLast(run, A, "1: +I(0,2,20,null,5)");
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
    }
  }

  @Test
  void theSwapThatAnOnlineSchemaChangeEndsWithIsFollowed() throws Exception {
    try (SourceRun run = copied(spec(), 1)) {
      for (String column : List.of("c", "e")) {
        // By hand what gh-ost does; the first one is given up.
        execute(
            "CREATE /* gh-ost */ TABLE _a_gho LIKE a",
            "ALTER /* gh-ost */ TABLE _a_gho ADD COLUMN zz INT",
            "INSERT /* gh-ost */ IGNORE INTO _a_gho SELECT a.*, 1 FROM a",
            "DROP /* gh-ost */ TABLE IF EXISTS _a_gho",
            "CREATE /* gh-ost */ TABLE _a_gho LIKE a",
            "ALTER /* gh-ost */ TABLE _a_gho ADD COLUMN " + column + " DATE");
        execute(
            "INSERT /* gh-ost */ IGNORE INTO _a_gho SELECT a.*, NULL FROM a",
            "UPDATE a SET v = v + 1 WHERE id = 1",
            "REPLACE INTO _a_gho SELECT a.*, NULL FROM a",
            "RENAME /* gh-ost */ TABLE a TO _a_del, _a_gho TO a",
            "UPDATE a SET " + column + " = '2024-01-31', v = v + 1 WHERE id = 1",
            "DROP /* gh-ost */ TABLE IF EXISTS _a_del",
            "UPDATE b SET v = v + 1");
        awaitWish(run, A, new RequestedColumn(column, "date"));
        evolve(run, new RequestedColumn(column, "date"));
      }
      awaitLast(run, B, "2: +U(1,1,12,19753,null,null)");
      awaitLast(run, A, "2: +U(0,1,14,19753,19753,19753)");
      assertThat(rows(run, A))
          .containsExactly(
              "0: +I(0,1,10,19753)",
              "0: +U(0,1,11,19753)",
              "1: +U(0,1,12,19753,19753)",
              "1: +U(0,1,13,19753,19753)",
              "2: +U(0,1,14,19753,19753,19753)");
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();

      execute("CREATE TABLE empty LIKE a", "RENAME TABLE a TO old, empty TO a");
      assertThat(awaitFault(run, A)).contains("RENAME TABLE a TO old, empty TO a");
    }
  }

  @Test
  void aTableThatChangesWhileItIsCopiedIsCopiedWithTheColumnsOfThen() throws Exception {
    execute("CREATE DATABASE " + db);
    execute(
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "INSERT INTO a SELECT seq, seq FROM seq_1_to_400");
    SourceSpec unlimited = server.spec(100, db + ".a");
    SourceSpec spec =
        new SourceSpec(
            unlimited.server(),
            unlimited.connection(),
            unlimited.shards(),
            unlimited.layout(),
            unlimited.schemas(),
            unlimited.firstServerId(),
            unlimited.lastServerId(),
            new SourceSpec.Snapshot(unlimited.snapshot().chunks(), 15, 1),
            unlimited.timing(),
            unlimited.debezium());
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.empty(), true);
      patiently().until(() -> !run.rows().isEmpty());
      execute("ALTER TABLE a ADD c INT DEFAULT 7");
      awaitWish(run, A, new RequestedColumn("c", "int"));
      evolve(run, new RequestedColumn("c", "int"));
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      execute("INSERT INTO a VALUES (1000, 1, 2)");
      awaitLast(run, A, "1: +I(0,1000,1,2)");
      assertThat(rows(run, A)).contains("1: +I(0,399,399,7)");
      assertThat(rows(run, A).stream().distinct().count()).isEqualTo(401);
    }
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(100));
  }
}
