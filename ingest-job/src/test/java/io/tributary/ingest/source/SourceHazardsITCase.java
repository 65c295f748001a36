package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Odd names and keys, and what a binlog can hold that no row event shows. */
@Tag("long")
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

  @Test
  void readsOddNamesAndCutsByAColumnOfOne() throws Exception {
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

  @Test
  void copiesATableWithACaseInsensitiveTextKeyAsOneChunk() throws Exception {
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

  @Test
  void stopsBeforeRowsThatAreNotWhole() throws Exception {
    server.execute(
        "CREATE DATABASE partial",
        "CREATE TABLE partial.t (id INT PRIMARY KEY, v INT, w INT)",
        "INSERT INTO partial.t VALUES (1, 1, 1)");
    SourceSpec spec = server.spec(100, "partial.t");
    try (SourceRun run = copied(spec, TestServer.gate(1))) {
      server.execute(
          "SET SESSION binlog_row_image = 'MINIMAL'", "UPDATE partial.t SET v = 2 WHERE id = 1");
      patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
      assertThat(run.lastMark().orElseThrow().faults().get(new ShardId(0)))
          .contains("binlog_row_image is not FULL");
      assertThat(run.rows()).hasSize(1);
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
          .contains("binlogs were reset");
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
