package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardSourceITCase {
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
  void copiesThenFollowsChangesAndSaysWhereItStands() throws Exception {
    server.execute(
        "CREATE DATABASE first",
        "USE first",
        "CREATE TABLE first.items (id INT PRIMARY KEY, note VARCHAR(20))",
        "INSERT INTO first.items SELECT seq, CONCAT('row ', seq) FROM seq_1_to_1000");
    SourceSpec spec = server.spec(100, "first.items");
    Gate gate = TestServer.gate(1);
    try (SourceRun run =
        new SourceRun()
            .start(spec, gate, 1, Duration.ofMillis(300), state, Optional.empty(), true)) {
      run.shared().table =
          Optional.of(
              TestServer.answered(
                  gate,
                  HelloAnswer.START_FROM_TABLE,
                  List.of(new ShardId(0)),
                  ShardPhase.SNAPSHOT,
                  Optional.empty()));
      await().atMost(Duration.ofSeconds(60)).until(() -> run.rows().size() >= 1000);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute("UPDATE first.items SET note = 'new' WHERE id = 7");
      await().atMost(Duration.ofSeconds(30)).until(() -> run.rows().size() >= 1001);
      List<ShardRow> rows = run.rows();
      assertThat(rows).hasSize(1001);
      assertThat(rows.subList(0, 1000)).allMatch(row -> row.origin() == ShardRow.Origin.COPY);
    }
  }
}
