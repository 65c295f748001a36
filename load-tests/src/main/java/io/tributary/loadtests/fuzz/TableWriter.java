package io.tributary.loadtests.fuzz;

import io.tributary.localstack.StackEndpoints;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Carries out the statements of one table, in the seed's order, over connections of its own. */
final class TableWriter implements AutoCloseable {
  private final FuzzTable table;
  private final Connection[] connections = new Connection[ChangeScript.CONNECTIONS];
  private final Statement[] statements = new Statement[ChangeScript.CONNECTIONS];
  private long done;
  private long refused;

  TableWriter(FuzzTable table, StackEndpoints.MariaDb server) throws SQLException {
    this.table = table;
    Dice dice = Dice.of(table.seed(), table.index(), "sessions");
    for (int i = 0; i < connections.length; i++) {
      connections[i] = server.connect();
      statements[i] = connections[i].createStatement();
      for (String sql : ChangeScript.session(dice)) {
        statements[i].execute(sql);
      }
    }
  }

  /** Makes the shards with their first rows. */
  void create() throws SQLException {
    Statement statement = statements[0];
    statement.execute("CREATE DATABASE " + FuzzColumn.quote(table.database()));
    for (int shard = 0; shard < table.shards().size(); shard++) {
      try {
        statement.execute(table.createTable(shard));
      } catch (SQLException e) {
        throw new IllegalStateException(
            "Cannot make table %d of seed %d: %s\n%s"
                .formatted(table.index(), table.seed(), e.getMessage(), table.createTable(shard)),
            e);
      }
    }
    for (String sql : new ChangeScript(table, "first").firstRows()) {
      // Strict sessions may take none of the rows.
      execute(new ChangeScript.Step(1, sql));
    }
  }

  /**
   * Changes rows.
   *
   * @param part tells the scripts of one table from each other
   * @param count of statements
   * @param pause between two statements
   */
  void change(String part, int count, long pauseMillis) throws InterruptedException {
    List<ChangeScript.Step> steps = new ArrayList<>(new ChangeScript(table, part).changes(count));
    for (ChangeScript.Step step : steps) {
      execute(step);
      TimeUnit.MILLISECONDS.sleep(pauseMillis);
    }
  }

  /** A statement that the server refuses changes nothing: that too is part of the seed. */
  private void execute(ChangeScript.Step step) {
    try {
      statements[step.connection()].execute(step.sql());
      done++;
    } catch (SQLException e) {
      refused++;
    }
  }

  void drop() throws SQLException {
    statements[0].execute("DROP DATABASE IF EXISTS " + FuzzColumn.quote(table.database()));
  }

  long done() {
    return done;
  }

  long refused() {
    return refused;
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : connections) {
      if (connection != null) {
        connection.close();
      }
    }
  }
}
