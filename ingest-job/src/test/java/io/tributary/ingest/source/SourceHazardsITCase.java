package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Odd names and keys, and what a binlog can hold that no row event shows. */
class SourceHazardsITCase {
  private static TestServer server;

  @TempDir Path state;

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Field case A9. */
  @Test
  void a9_readsOddNamesAndCutsByAColumnOfOne() throws Exception {
    server.execute(
        "CREATE DATABASE `od-d`",
        "USE `od-d`",
        "CREATE TABLE `group` (`ra-nk` INT, `key` VARCHAR(8), `a b` INT, `[x.y]` INT, `수량` INT,"
            + " f FLOAT, PRIMARY KEY (`ra-nk`, `key`))",
        "INSERT INTO `group` SELECT seq, CONCAT('k', seq), seq + 1, seq + 2, seq + 3, 0.1"
            + " FROM seq_1_to_50",
        "CREATE TABLE `gro-up` (`rank` INT PRIMARY KEY)",
        "INSERT INTO `gro-up` VALUES (1)");
    SourceSpec spec = server.spec(20, "od-d.group");
    assertThat(spec.snapshot().chunks()).isEqualTo(new SourceSpec.Chunks.ByColumn("ra-nk", 20));
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      server.execute("UPDATE `od-d`.`group` SET `[x.y]` = -1, f = 16777216 WHERE `ra-nk` = 3");
      patiently().until(() -> run.rows().size() == 51);
      assertThat(run.rows().get(50).row()).hasToString("+U(0,3,k3,4,-1,6,1.6777216E7)");
      assertThat(run.rows().subList(0, 50).stream().map(row -> row.row().toString()))
          .contains("+I(0,7,k7,8,9,10,0.1)")
          .doesNotHaveDuplicates();
    }
  }

  /** Field case B2, also with writers in {@link KeyClassesITCase}. */
  @Test
  void b2_copiesATableWithACaseInsensitiveTextKeyAsOneChunk() throws Exception {
    server.execute(
        "CREATE DATABASE textual",
        "USE textual",
        "CREATE TABLE t (id CHAR(36) PRIMARY KEY, v INT) COLLATE utf8mb4_general_ci");
    for (int part = 0; part < 4; part++) {
      StringBuilder insert = new StringBuilder("INSERT INTO textual.t VALUES ");
      for (int i = 0; i < 250; i++) {
        String id = UUID.nameUUIDFromBytes(new byte[] {(byte) part, (byte) i}).toString();
        insert
            .append(i == 0 ? "" : ", ")
            .append("('")
            .append(i % 2 == 0 ? id.toUpperCase(java.util.Locale.ROOT) : id)
            .append("', ")
            .append(i)
            .append(')');
      }
      server.execute(insert.toString());
    }
    SourceSpec spec = server.spec(100, "textual.t");
    assertThat(spec.snapshot().chunks()).isInstanceOf(SourceSpec.Chunks.Whole.class);
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      assertThat(run.rows()).hasSize(1000);
      assertThat(run.rows().stream().map(row -> row.row().getString(1)).distinct()).hasSize(1000);
    }
  }

  @Test
  void readsATableByAUniqueKeyThatTheRegistryNames() throws Exception {
    server.execute(
        "CREATE DATABASE keyless",
        "CREATE TABLE keyless.t (id INT NOT NULL, v INT, UNIQUE KEY u (id))",
        "INSERT INTO keyless.t VALUES (1, 1), (2, 2), (3, 3)");
    SourceSpec spec = server.spec(100, Optional.of(List.of("id")), "keyless.t");
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      server.execute("UPDATE keyless.t SET id = 9 WHERE id = 2");
      patiently().until(() -> run.rows().size() == 5);
      assertThat(run.rows().subList(3, 5).stream().map(row -> row.row().toString()))
          .containsExactly("-D(0,2,2)", "+I(0,9,2)");
    }
  }

  @Test
  void stopsBeforeAStatementThatNoRowEventShowsAndSaysSo() throws Exception {
    server.execute(
        "CREATE DATABASE silent",
        "CREATE TABLE silent.t (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE silent.other (id INT PRIMARY KEY)",
        "INSERT INTO silent.t VALUES (1, 1), (2, 2)");
    SourceSpec spec = server.spec(100, "silent.t");
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      server.execute(
          "TRUNCATE silent.other",
          "ALTER TABLE silent.t ADD INDEX (v)",
          "FLUSH TABLES",
          "INSERT INTO silent.t VALUES (3, 3)");
      patiently().until(() -> run.rows().size() == 3);
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
      server.execute("TRUNCATE silent.t", "INSERT INTO silent.t VALUES (4, 4)");
      patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
      assertThat(run.lastMark().orElseThrow().faults().get(new ShardId(0)))
          .contains("Cannot read on shard 0 (silent.t) of server mariadb-1")
          .contains("found TRUNCATE: 'TRUNCATE silent.t'")
          .contains("cure");
      assertThat(run.rows()).as("nothing from behind it").hasSize(3);
    }
  }

  /** Field case D6. */
  @Test
  void d6_rowsThatAreNotWholeAndStatementsStopTheirShardsAlone() throws Exception {
    server.execute(
        "CREATE DATABASE partial",
        "CREATE TABLE partial.a (id INT PRIMARY KEY, v INT, w INT)",
        "CREATE TABLE partial.b (id INT PRIMARY KEY, v INT, w INT)",
        "CREATE TABLE partial.c (id INT PRIMARY KEY, v INT, w INT)",
        "INSERT INTO partial.a VALUES (1, 1, 1)",
        "INSERT INTO partial.c VALUES (1, 1, 1)");
    SourceSpec spec = server.spec(100, "partial.a", "partial.b", "partial.c");
    SourceRun.Checkpoint checkpoint;
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      // The sibling's rows are in the same transaction, before it and behind it.
      server.execute(
          "SET SESSION binlog_row_image = 'MINIMAL'",
          "BEGIN",
          "INSERT INTO partial.b VALUES (1, 1, 1), (2, 2, 2)",
          "UPDATE partial.a SET v = 2 WHERE id = 1",
          "INSERT INTO partial.b VALUES (3, 3, 3)",
          "DELETE FROM partial.a WHERE id = 1",
          "COMMIT");
      server.execute("INSERT INTO partial.a VALUES (9, 9, 9)");
      server.execute(
          "SET SESSION binlog_format = 'STATEMENT'", "DELETE FROM partial.c WHERE id = 1");
      server.execute("INSERT INTO partial.b VALUES (4, 4, 4)");
      patiently().until(() -> run.rows().size() >= 6);
      patiently().until(() -> run.lastMark().orElseThrow().faults().size() == 2);
      Map<ShardId, String> faults = run.lastMark().orElseThrow().faults();
      assertThat(faults.get(new ShardId(0)))
          .startsWith("Cannot read on shard 0 (partial.a) of server mariadb-1 at binlog.")
          .contains("expected row events with all 3 columns, found one with ")
          .contains("binlog_row_image is not FULL")
          .contains("cure: ");
      assertThat(faults.get(new ShardId(2)))
          .startsWith("Cannot read on shard 2 (partial.c) of server mariadb-1 at binlog.")
          .contains("DELETE FROM partial.c")
          .contains("cure: ");
      assertThat(run.rows().stream().skip(2).map(row -> row.row().toString()))
          .containsExactly("+I(1,1,1,1)", "+I(1,2,2,2)", "+I(1,3,3,3)", "+I(1,4,4,4)");
      checkpoint = run.nextCheckpoint();
    }
    Gate gate = TestServer.gate(2);
    try (SourceRun run = new SourceRun()) {
      run.answerContinue(gate, spec);
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.of(checkpoint.path()), true);
      server.execute(
          "INSERT INTO partial.a VALUES (10, 1, 1)",
          "INSERT INTO partial.c VALUES (10, 1, 1)",
          "INSERT INTO partial.b VALUES (10, 1, 1)");
      patiently().until(() -> !run.rows().isEmpty());
      assertThat(run.rows().stream().map(row -> row.row().toString()))
          .containsExactly("+I(1,10,1,1)");
      assertThat(run.lastMark().orElseThrow().faults()).hasSize(2);
    }
  }

  /** Field case C6. */
  @Test
  void c6_tablesThatAreEmptyOrEmptiedWhileTheyAreCutAreFollowed() throws Exception {
    server.execute(
        "CREATE DATABASE c6",
        "USE c6",
        "CREATE TABLE c6.nothing (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE c6.shrinks (id INT PRIMARY KEY, v INT)",
        "INSERT INTO c6.shrinks SELECT seq * seq, 0 FROM seq_1_to_20000");
    SourceSpec spec = server.spec(100, "c6.nothing", "c6.shrinks");
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun();
        Connection connection = server.connect()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      patiently().until(() -> !run.rows().isEmpty());
      server.execute("DELETE FROM c6.shrinks WHERE id > 200 * 200");
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute(
          "INSERT INTO c6.nothing VALUES (1, 1)", "INSERT INTO c6.shrinks VALUES (90000000, 1)");
      patiently()
          .until(() -> run.rows().stream().filter(row -> row.row().getInt(2) == 1).count() == 2);
      new Replica(spec).apply(run.rowsThatCount()).assertEqualTo(connection);
    }
  }

  @Test
  void stopsWhenTheBinlogsWereReset() throws Exception {
    server.execute(
        "CREATE DATABASE reset_logs",
        "CREATE TABLE reset_logs.t (id INT PRIMARY KEY)",
        "INSERT INTO reset_logs.t VALUES (1)",
        "FLUSH BINARY LOGS");
    SourceSpec spec = server.spec(100, "reset_logs.t");
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      server.execute("RESET MASTER");
      patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
      assertThat(run.lastMark().orElseThrow().faults().get(new ShardId(0)))
          .containsAnyOf("binlogs were reset", "expected the server to send its binlog")
          .contains("cure: ");
    }
  }

  /** A run whose copy is complete. */
  private SourceRun copied(SourceSpec spec, Gate gate) throws Exception {
    SourceRun run = new SourceRun();
    run.answer(gate, spec, Optional.empty());
    run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
    patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
    assertThat(run.rows()).allMatch(row -> row.origin() == ShardRow.Origin.COPY);
    return run;
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(100));
  }
}
