package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SourcePosition;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables with keys of every kind are copied in chunks while rows are inserted, changed, deleted and
 * moved to other keys everywhere in them, and the job is ended in the middle of it: each row comes
 * once, and each change that the copy does not hold.
 */
class KeyClassesITCase {
  private static final int ROWS = 20_000;
  private static final int CHUNK = 100;

  /** Slow enough to be ended in the middle of a copy that is cut into chunks. */
  private static final int ROWS_PER_SECOND = 4_000;

  /** One whose table is cut into chunks. */
  private static final ShardId CUT = new ShardId(0);

  private static final long SEED = 20_240_131;

  /**
   * A kind of key.
   *
   * @param columns of the table's key
   * @param key their names
   * @param values of the row with the number {@code %1$s}
   */
  private record KeyKind(String name, String columns, List<String> key, List<String> values) {
    String table() {
      return "kinds." + name;
    }

    String keyList() {
      return String.join(", ", key);
    }

    String valueList(Object number) {
      return String.join(", ", values).formatted(number);
    }

    String is(int number) {
      return "(" + keyList() + ") = (" + valueList(number) + ")";
    }

    /** Gives the last column another value. */
    String move(int number) {
      int last = key.size() - 1;
      return key.get(last) + " = " + values.get(last).formatted(number);
    }
  }

  private static final List<KeyKind> KINDS =
      List.of(
          new KeyKind("whole", "id INT", List.of("id"), List.of("%1$s")),
          new KeyKind("fraction", "id DECIMAL(12,3)", List.of("id"), List.of("%1$s / 8")),
          new KeyKind(
              "uuid",
              "id CHAR(36) COLLATE utf8mb4_general_ci",
              List.of("id"),
              List.of("IF(%1$s DIV 2 %% 2, UPPER(MD5(%1$s)), MD5(%1$s))")),
          new KeyKind(
              "moment",
              "id DATETIME(3)",
              List.of("id"),
              List.of("TIMESTAMP('2000-01-01') + INTERVAL %1$s * 7919 SECOND")),
          new KeyKind("bytes", "id BINARY(16)", List.of("id"), List.of("UNHEX(MD5(%1$s))")),
          new KeyKind(
              "pair",
              "tenant VARCHAR(8) COLLATE utf8mb4_general_ci, id BIGINT",
              List.of("tenant", "id"),
              List.of("ELT(1 + %1$s %% 4, 'Alpha', 'beta', 'GAMMA', 'delta')", "%1$s DIV 4")));

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

  /** Two readers; ended twice while they copy, each time going on from the last checkpoint. */
  @Test
  void eachRowComesOnceWhenTwoReadersAreEndedAndGoOnFromACheckpoint() throws Exception {
    List<SourceSpec> specs = createTables();
    List<Replica> replicas = specs.stream().map(Replica::new).toList();
    try (Writer writer = new Writer()) {
      Optional<String> from = Optional.empty();
      for (int kill = 1; kill <= 2; kill++) {
        try (SourceRun run = run(specs, kill, 2, from)) {
          patiently().until(() -> copiedOf(run, CUT) >= ROWS / 5);
          SourceRun.Checkpoint checkpoint = run.nextCheckpoint();
          run.close();
          assertThat(copiedOf(run, CUT)).as("ended while it copied").isLessThan(ROWS - ROWS / 4);
          apply(replicas, run.rowsBefore(checkpoint.number()));
          from = Optional.of(checkpoint.path());
        }
      }
      try (SourceRun run = run(specs, 3, 2, from)) {
        follow(run, specs, writer);
        apply(replicas, run.rows());
      }
    }
    assertRows(replicas);
  }

  /**
   * One reader; ended while it copies and begun anew without Flink's state, so that everything is
   * copied anew, and once more later, to go on from the positions that the table has.
   */
  @Test
  void eachRowComesOnceWhenOneReaderIsEndedAndItsStateIsLost() throws Exception {
    List<SourceSpec> specs = createTables();
    List<Replica> replicas = specs.stream().map(Replica::new).toList();
    try (Writer writer = new Writer()) {
      try (SourceRun run = run(specs, 1, 1, Optional.empty())) {
        patiently().until(() -> copiedOf(run, CUT) >= ROWS / 5);
        assertThat(isCopied(run, specs.get(CUT.value()))).as("ended while it copied").isFalse();
      }
      Map<ServerName, SourcePosition> positions = new HashMap<>();
      try (SourceRun run = run(specs, 2, 1, Optional.empty())) {
        patiently().until(() -> specs.stream().allMatch(spec -> isCopied(run, spec)));
        SourceRun.Checkpoint checkpoint = run.nextCheckpoint();
        run.close();
        apply(replicas, run.rowsBefore(checkpoint.number()));
        run.marksBefore(checkpoint.number())
            .forEach((name, mark) -> positions.put(name, mark.position().orElseThrow()));
      }
      Gate gate = TestServer.gate(3);
      try (SourceRun run = new SourceRun()) {
        run.answerFrom(gate, specs, positions);
        run.start(specs, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
        follow(run, specs, writer);
        apply(replicas, run.rows());
      }
    }
    assertRows(replicas);
  }

  /** Ends the writing, and waits until all of it has come. */
  private static void follow(SourceRun run, List<SourceSpec> specs, Writer writer)
      throws Exception {
    patiently().until(() -> specs.stream().allMatch(spec -> isCopied(run, spec)));
    writer.close();
    for (KeyKind kind : KINDS) {
      server.execute(
          "INSERT INTO %s VALUES (%s, -1)".formatted(kind.table(), kind.valueList(4 * ROWS + 1)));
    }
    patiently()
        .until(
            () ->
                run.rows().stream()
                        .filter(row -> row.row().getInt(row.row().getArity() - 1) == -1)
                        .map(ShardRow::shard)
                        .distinct()
                        .count()
                    == KINDS.size());
  }

  private static long copiedOf(SourceRun run, ShardId shard) {
    return run.rows().stream()
        .filter(row -> row.shard().equals(shard) && row.origin() == ShardRow.Origin.COPY)
        .count();
  }

  private static boolean isCopied(SourceRun run, SourceSpec spec) {
    return run.lastMark(spec.server()).flatMap(SourceMark::watermark).isPresent();
  }

  private static void apply(List<Replica> replicas, List<ShardRow> rows) {
    for (int i = 0; i < replicas.size(); i++) {
      ShardId shard = new ShardId(i);
      replicas.get(i).apply(rows.stream().filter(row -> row.shard().equals(shard)).toList());
    }
  }

  private static void assertRows(List<Replica> replicas) throws SQLException {
    try (Connection connection = server.connect()) {
      for (Replica replica : replicas) {
        replica.assertEqualTo(connection);
      }
    }
  }

  private SourceRun run(
      List<SourceSpec> specs, long incarnation, int parallelism, Optional<String> from)
      throws Exception {
    SourceRun run = new SourceRun();
    Gate gate = TestServer.gate(incarnation);
    run.answerFrom(gate, specs, Map.of());
    if (from.isPresent()) {
      run.shared().table =
          Optional.of(
              TestServer.answered(
                  gate,
                  HelloAnswer.CONTINUE,
                  specs.stream().flatMap(spec -> spec.shardIds().stream()).toList(),
                  ShardPhase.SNAPSHOT,
                  Map.of()));
    }
    run.start(specs, gate, parallelism, Duration.ofSeconds(1), state, from, true);
    return run;
  }

  /** Rows have even numbers, so that there is room between them. */
  private static List<SourceSpec> createTables() throws SQLException {
    server.execute("DROP DATABASE IF EXISTS kinds", "CREATE DATABASE kinds");
    List<SourceSpec> specs = new ArrayList<>();
    for (KeyKind kind : KINDS) {
      server.execute(
          "CREATE TABLE %s (%s, v INT, PRIMARY KEY (%s))"
              .formatted(kind.table(), kind.columns(), kind.keyList()),
          "INSERT INTO %s SELECT %s, 0 FROM kinds.seq_1_to_%d"
              .formatted(kind.table(), kind.valueList("(2 * seq)"), ROWS));
      SourceSpec spec = server.spec(CHUNK, kind.table());
      int number = specs.size();
      specs.add(
          slowly(
              spec.withShards(
                  List.of(new SourceSpec.Shard(new ShardId(number), "kinds", kind.name())),
                  6000 + 10 * number,
                  6007 + 10 * number),
              new ServerName("server-" + number)));
    }
    return specs;
  }

  private static SourceSpec slowly(SourceSpec spec, ServerName name) {
    return new SourceSpec(
        name,
        spec.connection(),
        spec.shards(),
        spec.layout(),
        spec.schemas(),
        spec.firstServerId(),
        spec.lastServerId(),
        new SourceSpec.Snapshot(spec.snapshot().chunks(), ROWS_PER_SECOND, Integer.MAX_VALUE),
        spec.timing(),
        spec.debezium());
  }

  /** Changes all tables, everywhere in them, until it is closed. */
  private static final class Writer implements AutoCloseable {
    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<Void> writing = CompletableFuture.runAsync(this::write);

    private void write() {
      Random random = new Random(SEED);
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        for (int change = 1; !over.get(); change++) {
          connection.setAutoCommit(change % 4 != 0);
          for (KeyKind kind : KINDS) {
            write(statement, kind, change, random);
          }
          if (change % 4 == 0) {
            connection.commit();
          }
          TimeUnit.MILLISECONDS.sleep(5);
        }
      } catch (SQLException | InterruptedException e) {
        throw new IllegalStateException("Cannot write", e);
      }
    }

    private static void write(Statement statement, KeyKind kind, int change, Random random)
        throws SQLException {
      int there = 2 * (1 + random.nextInt(ROWS));
      int between = 2 * random.nextInt(ROWS) + 1;
      int gone = 2 * (1 + random.nextInt(ROWS));
      statement.execute(
          "INSERT IGNORE INTO %s VALUES (%s, %d)"
              .formatted(kind.table(), kind.valueList(between), change));
      statement.execute(
          "UPDATE %s SET v = %d WHERE %s".formatted(kind.table(), change, kind.is(there)));
      statement.execute("DELETE FROM %s WHERE %s".formatted(kind.table(), kind.is(gone)));
      if (change % 8 == 0) {
        // To another key, mostly in another chunk.
        statement.execute(
            "UPDATE IGNORE %s SET %s, v = %d WHERE %s"
                .formatted(kind.table(), kind.move(4 * ROWS + 2 * change), change, kind.is(there)));
      }
    }

    @Override
    public void close() throws Exception {
      over.set(true);
      writing.get(1, TimeUnit.MINUTES);
    }
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(200));
  }
}
