package io.tributary.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checker is known to see what it is for: each kind of damage is made, and must be named. */
class VerifierITCase {
  private static final int ROWS = 20;
  private static final ServerName SERVER = new ServerName("mariadb-1");
  private static final List<ShardToVerify> SHARDS =
      List.of(
          new ShardToVerify(new ShardId(0), SERVER, "verify `it`", "t_0"),
          new ShardToVerify(new ShardId(1), SERVER, "verify `it`", "t_1"));

  private static LocalStack stack;

  @TempDir static Path stackFolder;
  @TempDir Path folder;

  private MirroredTable mirror;

  @BeforeAll
  static void startServer() {
    stack =
        LocalStack.start(
            LocalStackConfig.in(stackFolder).withOnly(Service.MARIADB).withMariaDbServers(1));
  }

  @AfterAll
  static void stopServer() {
    if (stack != null) {
      stack.close();
    }
  }

  @BeforeEach
  void mirrorTwoShards() throws Exception {
    mirror = new MirroredTable(folder.resolve("table"));
    try (Connection connection = connect()) {
      for (ShardToVerify shard : SHARDS) {
        MirroredTable.fillSource(connection, shard, ROWS);
        mirror.fillTable(shard.shard().value(), ROWS);
      }
    }
  }

  @Test
  void findsNothingWhenTheRowsAreTheSame() {
    VerifyReport report = verify();

    assertThat(report.differences()).isEmpty();
    assertThat(report.verdict()).isEqualTo("clean");
    assertThat(report.clean()).isTrue();
    assertThat(report.sourceRows()).isEqualTo(2 * ROWS);
    assertThat(report.tableRows()).isEqualTo(2 * ROWS);
    assertThat(report.snapshotId()).hasValue(mirror.table().currentSnapshot().snapshotId());
  }

  @Test
  void namesARowThatTheTableLost() throws Exception {
    mirror.delete(MirroredTable.row(1, 3));

    VerifyReport report = verify();

    assertThat(report.sum(Difference.Kind.LOST)).isEqualTo(1);
    assertThat(report.mismatches()).isEqualTo(1);
    assertThat(report.verdict())
        .isEqualTo("1 keys differ: 1 lost, 0 extra, 0 doubled, 0 different");
    Difference difference = report.differences().get(0);
    assertThat(difference.shard()).isEqualTo(new ShardId(1));
    assertThat(difference.kind()).isEqualTo(Difference.Kind.LOST);
    assertThat(difference.key()).containsExactly(Map.entry("k1", "3"), Map.entry("k2", "k3"));
  }

  @Test
  void namesAGhost() throws Exception {
    Record ghost = MirroredTable.row(0, 3);
    ghost.setField("k2", "gone");
    mirror.append(ghost);

    VerifyReport report = verify();

    assertThat(report.sum(Difference.Kind.EXTRA)).isEqualTo(1);
    assertThat(report.mismatches()).isEqualTo(1);
    assertThat(report.differences().get(0).key()).containsEntry("k2", "gone");
  }

  @Test
  void namesADoubledRow() throws Exception {
    mirror.append(MirroredTable.row(0, 5));

    VerifyReport report = verify();

    assertThat(report.sum(Difference.Kind.DOUBLED)).isEqualTo(1);
    assertThat(report.mismatches()).isEqualTo(1);
    assertThat(report.tableRows()).isEqualTo(2 * ROWS + 1);
    assertThat(report.differences().get(0).key()).containsEntry("k1", "5");
  }

  @Test
  void namesAChangedValueOfEachColumnWithBothTexts() throws Exception {
    for (String change :
        List.of(
            "name = 'x'",
            "exact = exact + 0.0000000001",
            "big = big - 1",
            "raw = x'00ff03'",
            "day = NULL",
            "local_time = '2024-01-02 03:04:05.601'",
            "happened = '2024-06-07 08:09:10.123456'",
            "ratio = 0.10000001",
            "bits = b'1'",
            "flag = 1")) {
      String column = change.substring(0, change.indexOf(' '));
      execute("UPDATE `verify ``it```.t_0 SET %s WHERE k1 = 3".formatted(change));

      VerifyReport report = verify();

      assertThat(report.sum(Difference.Kind.DIFFERENT)).as(change).isEqualTo(1);
      assertThat(report.mismatches()).as(change).isEqualTo(1);
      Difference difference = report.differences().get(0);
      assertThat(difference.columns()).as(change).hasSize(1);
      assertThat(difference.columns().get(0).column()).isEqualTo(column);
      assertThat(difference.columns().get(0).source())
          .isNotEqualTo(difference.columns().get(0).table());
      try (Connection connection = connect()) {
        MirroredTable.fillSource(connection, SHARDS.get(0), ROWS);
      }
    }
  }

  @Test
  void namesTheFirstDifferencesAndCountsAll() throws Exception {
    execute("DELETE FROM `verify ``it```.t_0 WHERE k1 < 10");

    VerifyReport report = verify(2);

    assertThat(report.sum(Difference.Kind.EXTRA)).isEqualTo(10);
    assertThat(report.differences()).hasSize(2);
  }

  @Test
  void findsRowsOfAShardThatNobodyNamed() throws Exception {
    mirror.append(MirroredTable.row(7, 1));

    VerifyReport report = verify();

    assertThat(report.clean()).isFalse();
    assertThat(report.verdict()).isEqualTo("1 rows of shards that the registry does not name");
  }

  @Test
  void findsAColumnThatTheTableLacks() throws Exception {
    execute("ALTER TABLE `verify ``it```.t_1 ADD COLUMN later INT NULL");

    assertThat(verify().verdict())
        .contains("column 'later' of shard 1")
        .contains("is not in the table");
  }

  @Test
  void saysThatTheSourceIsNotQuietWhenItWritesMeanwhile() {
    VerifyRequest request = request(10);
    SourceServer server = request.servers().get(SERVER);
    int[] connections = {0};
    SourceServer writing =
        () -> {
          if (++connections[0] == 2) {
            try (Statement statement = server.connect().createStatement()) {
              statement.execute("CREATE DATABASE IF NOT EXISTS elsewhere");
              statement.execute("DROP DATABASE elsewhere");
            }
          }
          return server.connect();
        };

    VerifyReport report =
        new Verifier(
                new VerifyRequest(
                    request.table(),
                    request.shardIdColumn(),
                    request.keyColumns(),
                    request.columnTypes(),
                    request.shards(),
                    List.of(),
                    Map.of(SERVER, writing),
                    10,
                    folder),
                VerifyProgress.NONE)
            .verify();

    assertThat(report.quiet()).isFalse();
    assertThat(report.verdict()).isEqualTo("source not quiet");
  }

  @Test
  void namesAMissingSourceTable() {
    VerifyRequest request =
        new VerifyRequest(
            mirror.table(),
            "shard_id",
            Optional.empty(),
            Map.of(),
            List.of(new ShardToVerify(new ShardId(0), SERVER, "nowhere", "t")),
            List.of(),
            Map.of(SERVER, VerifierITCase::connect),
            10,
            folder);

    assertThatThrownBy(() -> new Verifier(request, VerifyProgress.NONE).verify())
        .isInstanceOf(VerifyException.class)
        .hasMessage(
            "Cannot verify shard 0 (mariadb-1 nowhere.t): expected the table on the server, found none (or no right to read it)");
  }

  private VerifyReport verify() {
    return verify(10);
  }

  private VerifyReport verify(int mostDifferences) {
    return new Verifier(request(mostDifferences), VerifyProgress.NONE).verify();
  }

  private VerifyRequest request(int mostDifferences) {
    return new VerifyRequest(
        mirror.table(),
        "shard_id",
        Optional.empty(),
        Map.of(),
        SHARDS,
        List.of(),
        Map.of(SERVER, VerifierITCase::connect),
        mostDifferences,
        folder);
  }

  private static Connection connect() throws SQLException {
    StackEndpoints.MariaDb server = stack.endpoints().mariaDb(1);
    return server.connect();
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
