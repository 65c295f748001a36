package io.tributary.loadtests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.localstack.LocalStack;
import io.tributary.localstack.StackEndpoints;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Twenty random tables in every build, and two more with differences that must be found; {@code
 * bin/tributary fuzz} makes more.
 */
class FuzzITCase {
  private static final int TABLES = 20;
  private static final int PLANTED = 2;
  private static final int AT_ONCE = TABLES + PLANTED;

  /** Both are settable, to look at a failure again. */
  private static final long SEED = Long.getLong("fuzz.seed", 20_261_130);

  private static final int FIRST = Integer.getInteger("fuzz.first", 0);

  @TempDir Path folder;

  @Test
  void randomTablesArriveUnchangedAcrossDeathsAndRestartsAndWhatDiffersIsFound() throws Exception {
    try (LocalStack stack =
        FuzzCommand.stack(Path.of("target", "fuzz-stack"), System.out::println)) {
      List<Integer> lost = new ArrayList<>();
      List<Integer> changed = new ArrayList<>();
      FuzzResult result =
          new FuzzRun(SEED, FIRST, TABLES + PLANTED, AT_ONCE)
              .run(
                  stack.endpoints(),
                  folder,
                  tally ->
                      System.out.printf(
                          "%d tables, %.0f s, %s%n",
                          tally.tables(), tally.seconds(), tally.failures()),
                  table -> {
                    if (table.index() == FIRST + TABLES) {
                      lost.add(addRows(stack.endpoints(), table));
                    } else if (table.index() == FIRST + TABLES + 1) {
                      changed.add(changeRows(stack.endpoints(), table));
                    }
                  });
      System.out.println(result);
      assertThat(result.failures().stream().filter(one -> one.table() < FIRST + TABLES)).isEmpty();
      assertThat(result.tables()).isEqualTo(TABLES + PLANTED);
      assertThat(result.rows()).as("rows compared").isPositive();
      assertThat(result.statements())
          .as("statements that the server carried out")
          .isGreaterThan(result.refusedStatements());
      assertThat(result.copying() + result.following())
          .as("tables whose TaskManager was ended")
          .isEqualTo(TABLES + PLANTED - result.refusals());

      assertThat(lost).singleElement().as("rows that the table lacks").isNotEqualTo(0);
      assertThat(changed).containsExactly(2);
      assertThat(result.failures())
          .extracting(FuzzResult.Failure::table)
          .containsExactly(FIRST + TABLES, FIRST + TABLES + 1);
      assertThat(result.failures().get(0).reason()).contains("lost in shard ");
      assertThat(result.failures().get(1).reason())
          .contains("extra in shard ", "different in shard ", " is NULL at the source, ");
      assertThat(result.failures().get(1).replay())
          .isEqualTo(
              "bin/tributary fuzz --seed %d --first %d --tables 1"
                  .formatted(SEED, FIRST + TABLES + 1));
    }
  }

  /** Rows that no reader of the binlog can know of. */
  private static int addRows(StackEndpoints at, FuzzTable table) throws SQLException {
    return unseen(at, statement -> added(statement, table));
  }

  private static int added(Statement statement, FuzzTable table) throws SQLException {
    int rows = 0;
    for (String sql : new ChangeScript(table, "planted").firstRows()) {
      rows += statement.executeUpdate(sql);
    }
    return rows;
  }

  /** A row less, and a value less in another; in the first shard that has both. */
  private static int changeRows(StackEndpoints at, FuzzTable table) throws SQLException {
    return unseen(at, statement -> changed(statement, table));
  }

  private static int changed(Statement statement, FuzzTable table) throws SQLException {
    for (int shard = 0; shard < table.shards().size(); shard++) {
      String name = table.quotedShard(shard);
      if (statement.executeUpdate("DELETE FROM " + name + " LIMIT 1") == 1) {
        for (FuzzColumn column : table.columns()) {
          String value = column.quoted();
          String update = "UPDATE %s SET %s = NULL WHERE %s IS NOT NULL LIMIT 1";
          if (column.written()
              && column.nullable()
              && statement.executeUpdate(update.formatted(name, value, value)) == 1) {
            return 2;
          }
        }
      }
    }
    return 0;
  }

  @FunctionalInterface
  private interface Change {
    int by(Statement statement) throws SQLException;
  }

  private static int unseen(StackEndpoints at, Change change) throws SQLException {
    try (Connection connection = at.mariaDb(1).connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_log_bin = 0, sql_mode = ''");
      return change.by(statement);
    }
  }
}
