package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.protocol.SourcePosition;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The watermark passes the server's clock of now whatever the binlog ends with: nothing new, events
 * of other tables, a new file, a transaction that is empty or bears another server's number; also
 * after restarts of the server and of the job. Each kind of server counts its positions otherwise.
 */
class WatermarkITCase {
  private static final String FOREIGN = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";

  @TempDir Path state;

  private TestServer server;

  @ParameterizedTest
  @EnumSource
  void passesTheClockOfNowWhateverTheBinlogEndsWith(ServerKind kind) throws Exception {
    try (TestServer started = kind.start()) {
      server = started;
      if (!kind.isMariaDb()) {
        // As on a replica that was made from a backup: numbers that no binlog of it has.
        server.execute("RESET MASTER", "SET GLOBAL gtid_purged = '" + FOREIGN + ":1-5'");
      }
      server.execute(
          "CREATE DATABASE mark",
          "CREATE TABLE mark.t (id INT PRIMARY KEY)",
          "CREATE TABLE mark.other (id INT PRIMARY KEY)",
          "INSERT INTO mark.t VALUES (1)");
      SourceSpec spec = server.spec(100, "mark.t");
      SourcePosition last;
      try (SourceRun run = new SourceRun()) {
        Gate gate = TestServer.gate(1);
        run.answer(gate, spec, Optional.empty());
        run.start(spec, gate, 1, Duration.ofMillis(500), state, Optional.empty(), true);
        awaitNow(run, "behind the copy");
        assertThat(position(run).gtidSet().isPresent())
            .as("counts by transaction numbers")
            .isEqualTo(!kind.isMariaDb());
        SourcePosition idle = position(run);
        awaitNow(run, "idle");
        assertThat(position(run)).as("nothing was written").isEqualTo(idle);

        server.execute("INSERT INTO mark.other VALUES (1), (2)");
        awaitNow(run, "behind other tables' events");
        server.execute("CREATE TABLE mark.more (id INT)", "DROP TABLE mark.more");
        awaitNow(run, "behind other tables' statements");
        server.execute("FLUSH BINARY LOGS", "FLUSH BINARY LOGS");
        awaitNow(run, "in a new file");
        server.execute("INSERT INTO mark.t VALUES (2)", "FLUSH BINARY LOGS");
        awaitNow(run, "in a new file behind a row");
        if (!kind.isMariaDb()) {
          server.execute(
              "SET gtid_next = '" + FOREIGN + ":7'",
              "BEGIN",
              "COMMIT",
              "SET gtid_next = 'AUTOMATIC'");
          awaitNow(run, "behind an empty transaction of another server's, behind a gap");
          assertThat(position(run).gtidSet().orElseThrow()).contains(FOREIGN + ":1-5:7");
        }
        server.execute(
            "BEGIN",
            "INSERT INTO mark.t VALUES (100)",
            "ROLLBACK",
            "DELETE FROM mark.t WHERE id = 0");
        awaitNow(run, "behind what left no trace");

        server.restart();
        awaitNow(run, "on a server that was restarted");
        server.execute("INSERT INTO mark.t VALUES (3)");
        awaitNow(run, "on a server that was restarted, behind a row");
        assertThat(ids(run)).containsExactly(1, 2, 3);
        // A row may be ahead of the last barrier, whose position is from before it.
        await("a barrier behind the last row")
            .atMost(Duration.ofMinutes(3))
            .until(
                () ->
                    run.atBarrier(mark -> mark.position().isPresent())
                        .filter(
                            at ->
                                at.rowsBefore().stream().anyMatch(row -> row.row().getInt(1) == 3))
                        .isPresent());
        last =
            run.atBarrier(mark -> mark.position().isPresent())
                .orElseThrow()
                .mark()
                .position()
                .orElseThrow();
      }

      server.execute("INSERT INTO mark.other VALUES (3)", "FLUSH BINARY LOGS");
      try (SourceRun run = new SourceRun()) {
        Gate gate = TestServer.gate(2);
        run.answer(gate, spec, Optional.of(last));
        run.start(spec, gate, 1, Duration.ofMillis(500), state, Optional.empty(), true);
        awaitNow(run, "from the table's position, with nothing of ours behind it");
        server.execute("INSERT INTO mark.t VALUES (4)");
        awaitNow(run, "from the table's position, behind a row");
        assertThat(ids(run)).containsExactly(4);
        assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
      }
    }
  }

  /** Waits until the watermark is past what the server's clock shows now. */
  private void awaitNow(SourceRun run, String where) throws Exception {
    Instant now = clock();
    await(where)
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(100))
        .until(
            () ->
                run.lastMark()
                    .flatMap(SourceMark::watermark)
                    .filter(reached -> reached.instant().isAfter(now))
                    .isPresent());
  }

  private Instant clock() throws Exception {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR(26))")) {
      rows.next();
      return Instant.parse(rows.getString(1).replace(' ', 'T') + "Z");
    }
  }

  private static SourcePosition position(SourceRun run) {
    return run.lastMark().flatMap(SourceMark::position).orElseThrow();
  }

  private static Set<Integer> ids(SourceRun run) {
    return run.rows().stream()
        .map(row -> row.row().getInt(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
