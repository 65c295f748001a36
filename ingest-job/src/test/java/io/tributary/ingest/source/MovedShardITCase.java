package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardMove;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A reader of a shard that another group read until now, beside one that its own group read: each
 * goes on behind its own last row, also where one or both stand within a transaction. With GTIDs on
 * MySQL.
 */
class MovedShardITCase {
  private static final ShardId STAYS = new ShardId(0);
  private static final ShardId MOVED = new ShardId(1);
  private static final int ROWS_OF_A_STATEMENT = 400;
  private static final int STATEMENTS = 6;

  @TempDir Path state;

  /** What was read up to a barrier. */
  private record Cut(SourcePosition position, int rows) {}

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"MARIADB_10_11", "MYSQL_5_6"})
  void eachShardGoesOnBehindItsOwnLastRow(ServerKind kind) throws Exception {
    try (TestServer server = kind.start()) {
      server.execute(
          "CREATE DATABASE d",
          "CREATE TABLE d.stays (id INT PRIMARY KEY, v VARCHAR(60))",
          "CREATE TABLE d.moved (id INT PRIMARY KEY, v VARCHAR(60))");
      SourceSpec spec = server.spec(1000, "d.stays", "d.moved");
      SourcePosition begin;
      try (ProbeQuery query = new ProbeQuery(server.connect())) {
        begin = query.ask().position();
      }
      write(server);
      int total = 3 * STATEMENTS * 2 * ROWS_OF_A_STATEMENT;
      List<ShardRow> whole = new ArrayList<>();
      List<Cut> cuts = cuts(spec, begin, total, whole);
      assertThat(whole).hasSize(total);
      List<Cut> within =
          cuts.stream()
              .filter(cut -> cut.position().skipEvents() + cut.position().skipRows() > 0)
              .toList();
      assertThat(within).as("barriers within a transaction").hasSizeGreaterThanOrEqualTo(4);
      Cut early = within.get(within.size() / 4);
      Cut late = within.get(3 * within.size() / 4);
      assertThat(BinlogOrder.compareExactly(early.position(), late.position())).isNegative();

      assertGoesOn(spec, whole, late, early);
      assertGoesOn(spec, whole, early, late);
      // Behind a row of the other one in the same transaction.
      Cut next =
          within.stream()
              .filter(
                  cut ->
                      BinlogOrder.compareFiles(cut.position(), early.position()) == 0
                          && cut.rows() > early.rows())
              .findFirst()
              .orElse(late);
      assertGoesOn(spec, whole, next, early);
    }
  }

  private static void write(TestServer server) throws Exception {
    for (int transaction = 0; transaction < 3; transaction++) {
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        for (int i = 0; i < STATEMENTS; i++) {
          int from = (transaction * STATEMENTS + i) * ROWS_OF_A_STATEMENT;
          String rows =
              IntStream.range(from, from + ROWS_OF_A_STATEMENT)
                  .mapToObj(id -> "(" + id + ", 'row " + id + "')")
                  .collect(Collectors.joining(", "));
          statement.execute("INSERT INTO d.stays VALUES " + rows);
          statement.execute("INSERT INTO d.moved VALUES " + rows);
        }
        connection.commit();
      }
    }
  }

  /** Reads all, and says where the reader stood at barriers. */
  private List<Cut> cuts(SourceSpec spec, SourcePosition begin, int total, List<ShardRow> whole)
      throws Exception {
    Gate gate = TestServer.gate(1);
    List<Cut> cuts = new ArrayList<>();
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.of(begin));
      run.shared().nanosPerRow = 200_000;
      run.start(spec, gate, 1, Duration.ofMillis(50), state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= total);
      int seen = 0;
      SourceMark mark = null;
      for (SourceRun.Event event : run.events()) {
        if (event instanceof SourceRun.RowEvent) {
          seen++;
        } else if (event instanceof SourceRun.MarkEvent said) {
          mark = said.mark();
        } else if (mark != null && mark.position().isPresent()) {
          cuts.add(new Cut(mark.position().get(), seen));
        }
      }
      whole.addAll(run.rows());
    }
    return cuts;
  }

  private void assertGoesOn(SourceSpec spec, List<ShardRow> whole, Cut stays, Cut moved)
      throws Exception {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < whole.size(); i++) {
      Cut its = whole.get(i).shard().equals(MOVED) ? moved : stays;
      if (i >= its.rows()) {
        expected.add(whole.get(i).shard() + " " + whole.get(i).row());
      }
    }
    Gate gate = TestServer.gate(2);
    try (SourceRun run = new SourceRun()) {
      run.shared().table = Optional.of(onItsWay(gate, spec, stays.position(), moved.position()));
      run.start(spec, gate, 1, Duration.ofMillis(100), state, Optional.empty(), true);
      patiently().until(() -> run.rows().size() >= expected.size());
      // Anything beyond what is expected would come before the watermark.
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      assertThat(run.rows().stream().map(row -> row.shard() + " " + row.row()))
          .as("stays at %s, moved at %s", stays.position(), moved.position())
          .containsExactlyElementsOf(expected);
      SourcePosition last =
          BinlogOrder.compareExactly(stays.position(), moved.position()) > 0
              ? stays.position()
              : moved.position();
      for (SourceRun.Event event : run.events()) {
        if (event instanceof SourceRun.MarkEvent said && said.mark().position().isPresent()) {
          assertThat(BinlogOrder.compareExactly(said.mark().position().get(), last))
              .as("one position for both is said once both are behind their own")
              .isNotNegative();
        }
      }
    }
  }

  /** The table has one shard where its group read the server, and the other where another did. */
  private static TableState onItsWay(
      Gate gate, SourceSpec spec, SourcePosition stays, SourcePosition moved) {
    TableState plain =
        TestServer.answered(
            gate,
            HelloAnswer.START_FROM_TABLE,
            spec.shardIds(),
            ShardPhase.ACTIVE,
            Optional.of(stays));
    SortedMap<ShardId, ShardState> shards = new TreeMap<>(plain.shards());
    assertThat(shards.keySet()).containsExactly(STAYS, MOVED);
    shards.computeIfPresent(
        MOVED,
        (id, shard) ->
            shard.with(Optional.of(new ShardMove(Optional.empty(), Optional.of(moved)))));
    return new TableState(
        plain.tableUuid(),
        plain.round(),
        plain.term(),
        plain.owner(),
        plain.plan(),
        plain.registryVersion(),
        plain.controlOffset(),
        plain.validThrough(),
        plain.snapshot(),
        plain.dataRound(),
        plain.added(),
        plain.removed(),
        plain.committedAt(),
        plain.groups(),
        shards,
        plain.sources());
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
  }
}
