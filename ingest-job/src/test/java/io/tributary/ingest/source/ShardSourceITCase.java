package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.Watermark;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.flink.types.RowKind;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source against a real server. */
class ShardSourceITCase {
  private static final Duration QUICK_CHECKPOINTS = Duration.ofMillis(100);
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
  void copiesThenFollowsChangesAndItsWatermarkMovesOnAnIdleServer() throws Exception {
    server.execute(
        "CREATE DATABASE first",
        "USE first",
        "CREATE TABLE first.items (id INT PRIMARY KEY, note VARCHAR(20))",
        "CREATE TABLE first.items2 (id INT PRIMARY KEY, note VARCHAR(20))",
        "INSERT INTO first.items SELECT seq, CONCAT('row ', seq) FROM seq_1_to_1000",
        "INSERT INTO first.items2 VALUES (1, 'not ours')");
    SourceSpec spec = server.spec(100, "first.items");
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= 1000);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      Watermark before = run.lastMark().flatMap(SourceMark::watermark).orElseThrow();
      SourcePosition idle = run.lastMark().flatMap(SourceMark::position).orElseThrow();
      patiently()
          .until(
              () ->
                  run.lastMark()
                      .flatMap(SourceMark::watermark)
                      .filter(now -> now.instant().isAfter(before.instant().plusSeconds(2)))
                      .isPresent());
      assertThat(run.lastMark().flatMap(SourceMark::position)).contains(idle);
      server.execute(
          "UPDATE first.items SET note = 'new' WHERE id = 7",
          "INSERT INTO first.items2 VALUES (2, 'not ours')",
          "UPDATE first.items SET id = 2007 WHERE id = 8",
          "DELETE FROM first.items WHERE id = 9");
      patiently().until(() -> run.rows().size() >= 1004);
      List<ShardRow> rows = run.rows();
      assertThat(rows.subList(0, 1000))
          .allMatch(row -> row.origin() == ShardRow.Origin.COPY)
          .allMatch(row -> row.row().getRowKind() == RowKind.INSERT);
      assertThat(ids(rows.subList(0, 1000)))
          .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 1000).boxed().toList());
      assertThat(rows.subList(1000, rows.size()).stream().map(row -> row.row().toString()))
          .containsExactly("+U(0,7,new)", "-D(0,8,row 8)", "+I(0,2007,row 8)", "-D(0,9,row 9)");
    }
  }

  @Test
  void startsFromTheTablesPositionInTheMiddleOfATransactionExactly() throws Exception {
    server.execute(
        "CREATE DATABASE mid", "USE mid", "CREATE TABLE mid.t (id INT PRIMARY KEY, v VARCHAR(60))");
    SourceSpec spec = server.spec(1000, "mid.t");
    SourcePosition begin = position();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      // Events of many rows, of one row, and updates, in one transaction.
      statement.execute("INSERT INTO mid.t SELECT seq, REPEAT('x', 50) FROM mid.seq_1_to_6000");
      for (int id = 6001; id <= 6200; id++) {
        statement.execute("INSERT INTO mid.t VALUES (" + id + ", 'one')");
      }
      statement.execute("UPDATE mid.t SET v = 'u' WHERE id <= 3000");
      connection.commit();
    }
    server.execute("INSERT INTO mid.t VALUES (7000, 'after')");
    int total = 6000 + 200 + 3000 + 1;
    List<String> whole = read(spec, begin, total);
    assertThat(whole).hasSize(total);

    Gate gate = TestServer.gate(1);
    List<SourceRun.AtBarrier> middles = new ArrayList<>();
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.of(begin));
      run.shared().nanosPerRow = 100_000;
      run.start(spec, gate, 1, Duration.ofMillis(50), state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= total);
      int seen = 0;
      SourceMark mark = null;
      for (SourceRun.Event event : run.events()) {
        if (event instanceof SourceRun.RowEvent) {
          seen++;
        } else if (event instanceof SourceRun.MarkEvent said) {
          mark = said.mark();
        } else if (mark != null
            && mark.position().filter(at -> at.skipEvents() + at.skipRows() > 0).isPresent()) {
          middles.add(new SourceRun.AtBarrier(mark, run.rows().subList(0, seen)));
        }
      }
    }
    assertThat(middles).as("barriers within the transaction").hasSizeGreaterThanOrEqualTo(2);
    for (SourceRun.AtBarrier middle :
        List.of(middles.get(0), middles.get(middles.size() / 2), middles.get(middles.size() - 1))) {
      SourcePosition at = middle.mark().position().orElseThrow();
      int before = middle.rowsBefore().size();
      assertThat(read(spec, at, total - before))
          .as("rows after %s", at)
          .isEqualTo(whole.subList(before, total));
    }
  }

  @Test
  void goesOnFromFlinksStateExactlyWhateverItsParallelism() throws Exception {
    server.execute(
        "CREATE DATABASE again",
        "USE again",
        "CREATE TABLE again.t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO again.t SELECT seq, 0 FROM seq_1_to_20000");
    SourceSpec spec = server.spec(500, "again.t");
    Map<Integer, Integer> copies = new TreeMap<>();
    Gate first = TestServer.gate(1);
    String savepoint;
    try (SourceRun run = new SourceRun()) {
      run.answer(first, spec, Optional.empty());
      run.shared().nanosPerRow = 50_000;
      run.start(spec, first, 2, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= 3000);
      savepoint = run.stopWithSavepoint(state.resolve("one"));
      ids(run.rows()).forEach(id -> copies.merge(id, 1, Integer::sum));
      assertThat(copies.size()).as("stopped during the copy").isLessThan(20_000);
    }
    server.execute("UPDATE again.t SET v = 1 WHERE id % 100 = 0");
    Gate second = TestServer.gate(2);
    try (SourceRun run = new SourceRun()) {
      run.shared().table =
          Optional.of(
              TestServer.answered(
                  second,
                  HelloAnswer.CONTINUE,
                  spec.shardIds(),
                  ShardPhase.SNAPSHOT,
                  Optional.empty()));
      run.start(spec, second, 1, QUICK_CHECKPOINTS, state, Optional.of(savepoint), false);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      run.rows().stream()
          .filter(row -> row.origin() == ShardRow.Origin.COPY)
          .forEach(row -> copies.merge(row.row().getInt(1), 1, Integer::sum));
      assertThat(copies).hasSize(20_000);
      assertThat(copies.values()).as("copied once each").containsOnly(1);
      savepoint = run.stopWithSavepoint(state.resolve("two"));
    }
    server.execute("INSERT INTO again.t VALUES (30000, 3)", "DELETE FROM again.t WHERE id = 1");
    Gate third = TestServer.gate(3);
    try (SourceRun run = new SourceRun()) {
      run.shared().table =
          Optional.of(
              TestServer.answered(
                  third,
                  HelloAnswer.CONTINUE,
                  spec.shardIds(),
                  ShardPhase.SNAPSHOT,
                  Optional.empty()));
      run.start(spec, third, 2, QUICK_CHECKPOINTS, state, Optional.of(savepoint), true);
      patiently().until(() -> run.rows().size() >= 2);
      assertThat(run.rows().stream().map(row -> row.row().toString()))
          .containsExactly("+I(0,30000,3)", "-D(0,1,0)");
    }
  }

  @Test
  void announcesNoTimeBeforeEverythingCommittedEarlierIsEmitted() throws Exception {
    server.execute(
        "CREATE DATABASE honest",
        "CREATE TABLE honest.t (id INT PRIMARY KEY, pad VARCHAR(40), n INT)");
    SourceSpec spec = server.spec(1000, "honest.t");
    ConcurrentSkipListMap<Integer, Instant> committedBefore = new ConcurrentSkipListMap<>();
    AtomicInteger ids = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService writers = Executors.newFixedThreadPool(4);
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 2, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      List<Future<?>> running = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        boolean slow = writer == 0;
        running.add(writers.submit(() -> write(slow, ids, committedBefore, over)));
      }
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      Instant enough = Instant.now().plusSeconds(10);
      await().atMost(Duration.ofSeconds(60)).until(() -> Instant.now().isAfter(enough));
      over.set(true);
      for (Future<?> one : running) {
        one.get(30, TimeUnit.SECONDS);
      }
      patiently()
          .until(
              () ->
                  run.rows().stream().map(r -> r.row().getInt(1)).distinct().count() == ids.get());
      TreeSet<Integer> emitted = new TreeSet<>();
      int announcements = 0;
      Instant said = Instant.EPOCH;
      for (SourceRun.Event event : run.events()) {
        if (event instanceof SourceRun.RowEvent row) {
          emitted.add(row.row().row().getInt(1));
        } else if (event instanceof SourceRun.MarkEvent mark
            && mark.mark().watermark().isPresent()) {
          Instant time = mark.mark().watermark().get().instant();
          assertThat(time).as("a watermark never falls").isAfterOrEqualTo(said);
          if (time.isAfter(said)) {
            said = time;
            announcements++;
            for (Map.Entry<Integer, Instant> commit : committedBefore.entrySet()) {
              if (!commit.getValue().isAfter(time) && !emitted.contains(commit.getKey())) {
                fail(
                    "row %s was committed before %s and is missing, said up to %s",
                    commit.getKey(), commit.getValue(), time);
              }
            }
          }
        }
      }
      assertThat(announcements).isGreaterThan(5);
      assertThat(committedBefore.size()).isGreaterThan(500);
    } finally {
      over.set(true);
      writers.shutdownNow();
    }
  }

  /** Commits, then reads the server's clock: what it says is after the commit. */
  private static void write(
      boolean slow, AtomicInteger ids, Map<Integer, Instant> committedBefore, AtomicBoolean over) {
    try (Connection connection = server.connect();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO honest.t VALUES (?, 'pad', 0)");
        Statement clock = connection.createStatement()) {
      connection.setAutoCommit(false);
      while (!over.get()) {
        List<Integer> mine = new ArrayList<>();
        for (int i = 0; i < (slow ? 5 : 1); i++) {
          int id = ids.incrementAndGet();
          insert.setInt(1, id);
          insert.executeUpdate();
          mine.add(id);
          if (slow) {
            // A long transaction: its statements begin long before it commits.
            TimeUnit.MILLISECONDS.sleep(150);
          }
        }
        connection.commit();
        try (ResultSet rows = clock.executeQuery("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR(26))")) {
          rows.next();
          Instant after =
              LocalDateTime.parse(rows.getString(1).replace(' ', 'T')).toInstant(ZoneOffset.UTC);
          mine.forEach(id -> committedBefore.put(id, after));
        }
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void readsNothingBeforeTheHelloIsAnsweredAndEndsWhenSuperseded() throws Exception {
    server.execute(
        "CREATE DATABASE gated",
        "CREATE TABLE gated.t (id INT PRIMARY KEY)",
        "INSERT INTO gated.t VALUES (1)");
    SourceSpec spec = server.spec(1000, "gated.t");
    Gate gate = TestServer.gate(7);
    Gate newer =
        new Gate(TestServer.GROUP, new Incarnation(8), new SubmissionId(UUID.randomUUID()));
    try (SourceRun run = new SourceRun()) {
      run.answer(TestServer.gate(6), spec, Optional.empty());
      run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(20))
          .until(() -> run.rows().isEmpty());
      run.answer(gate, spec, Optional.empty());
      patiently().until(() -> run.rows().size() == 1);
      run.answer(newer, spec, Optional.empty());
      assertThat(run.failure()).contains("superseded").contains("incarnation 8");
    }
  }

  /** The binlogs of two servers have the same names: nothing else would tell them apart. */
  @Test
  void doesNotReadOnFromAPositionInTheBinlogOfAnotherServer() throws Exception {
    server.execute("CREATE DATABASE moved", "CREATE TABLE moved.t (id INT PRIMARY KEY)");
    SourceSpec spec = server.spec(1000, "moved.t");
    SourcePosition begin = position();
    server.execute("INSERT INTO moved.t VALUES (1)");
    Gate gate = TestServer.gate(1);
    SourcePosition said;
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.of(begin));
      run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() == 1);
      said = run.lastMark().flatMap(SourceMark::position).orElseThrow();
    }
    String identity = said.serverIdentity().orElseThrow();
    assertThat(identity).startsWith("server_id ");
    Gate next = TestServer.gate(2);
    try (SourceRun run = new SourceRun()) {
      run.answer(next, spec, Optional.of(said.on(Optional.of("server_id 99"))));
      run.start(spec, next, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      // The shards are halted, which is what an operator can lead out of.
      patiently().until(() -> run.lastMark().filter(mark -> !mark.faults().isEmpty()).isPresent());
      assertThat(run.lastMark().orElseThrow().faults().values())
          .singleElement()
          .asString()
          .contains("expected the server server_id 99, found " + identity);
      assertThat(run.rows()).isEmpty();
    }
  }

  @Test
  void namesThePurgedPositionInsteadOfTryingAgain() throws Exception {
    server.execute("CREATE DATABASE purged", "CREATE TABLE purged.t (id INT PRIMARY KEY)");
    SourceSpec spec = server.spec(1000, "purged.t");
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.of(SourcePosition.of("binlog.000000", 4)));
      run.start(spec, gate, 1, QUICK_CHECKPOINTS, state, Optional.empty(), true);
      patiently().until(() -> run.lastMark().filter(mark -> !mark.faults().isEmpty()).isPresent());
      assertThat(run.lastMark().orElseThrow().faults().values())
          .singleElement()
          .asString()
          .contains("Cannot read on shard 0 (purged.t) of server mariadb-1 at binlog.000000:4")
          .contains("found it gone from the server; cure: ");
      assertThat(run.running()).isTrue();
    }
  }

  private List<String> read(SourceSpec spec, SourcePosition from, int rows) throws Exception {
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.of(from));
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= rows);
      // Anything beyond what is expected would come at once.
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      return run.rows().stream().map(row -> row.row().toString()).toList();
    }
  }

  private static SourcePosition position() throws Exception {
    try (ProbeQuery query = new ProbeQuery(server.connect())) {
      return query.ask().position();
    }
  }

  private static List<Integer> ids(List<ShardRow> rows) {
    return rows.stream().map(row -> row.row().getInt(1)).toList();
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
  }
}
