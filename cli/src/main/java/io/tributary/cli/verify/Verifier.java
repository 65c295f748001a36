package io.tributary.cli.verify;

import io.tributary.protocol.ServerName;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.iceberg.Snapshot;

/**
 * Compares all shards with the table. Both sides are pinned: the table by its Iceberg snapshot, the
 * servers by their binlog, which must end at the same place before and after.
 */
public final class Verifier {
  /** Larger shards are compared in parts of about this many rows. */
  private static final long ROWS_IN_MEMORY = 150_000;

  private static final int MOST_PARTS = 512;
  private static final int PROGRESS_ROWS = 2_000;

  private final VerifyRequest request;
  private final VerifyProgress progress;

  public Verifier(VerifyRequest request, VerifyProgress progress) {
    this.request = request;
    this.progress = progress;
  }

  /**
   * @throws VerifyException when the comparison cannot be made: a server or the table cannot be
   *     read, or a column has no exact text
   */
  public VerifyReport verify() {
    request.table().refresh();
    Snapshot snapshot = request.table().currentSnapshot();
    IcebergTableReader table =
        new IcebergTableReader(request.table(), snapshot, request.shardIdColumn());
    SortedMap<ServerName, String> before = binlogEnds();
    List<ShardCounts> counts = new ArrayList<>();
    List<Difference> differences = new ArrayList<>();
    List<String> layoutProblems = new ArrayList<>();
    int index = 0;
    for (ShardToVerify shard : request.shards()) {
      ShardComparison comparison = compare(shard, ++index, table, layoutProblems);
      counts.add(comparison.counts());
      differences.addAll(comparison.differences());
    }
    try {
      long others =
          table.rowsOfOthers(
              Stream.concat(
                      request.shards().stream().map(ShardToVerify::shard),
                      request.notCompared().stream())
                  .toList());
      if (others > 0) {
        layoutProblems.add(others + " rows of shards that the registry does not name");
      }
    } catch (IOException e) {
      throw new VerifyException(
          "Cannot verify table %s: expected to read it, found %s"
              .formatted(request.table().name(), e.getMessage()),
          e);
    }
    return new VerifyReport(
        request.table().name(),
        snapshot == null ? OptionalLong.empty() : OptionalLong.of(snapshot.snapshotId()),
        before.equals(binlogEnds()),
        layoutProblems,
        counts,
        request.notCompared(),
        differences);
  }

  private ShardComparison compare(
      ShardToVerify shard, int index, IcebergTableReader table, List<String> layoutProblems) {
    try (Connection connection = request.servers().get(shard.server()).connect()) {
      SourceTableReader source = new SourceTableReader(shard, connection);
      Map<String, TextForm> forms = source.columns(request.columnTypes());
      List<String> compared = table.columns();
      for (String column : forms.keySet()) {
        if (!compared.contains(column)) {
          layoutProblems.add("column '" + column + "' of " + shard + " is not in the table");
        }
      }
      int[] keyIndexes = keyIndexes(shard, source, compared);
      long[] rowsRead = {0};
      RowSource sourceRows =
          counted(source.rows(compared, forms, keyIndexes), shard, index, rowsRead);
      RowSource tableRows =
          counted(table.rows(shard.shard(), compared, forms, keyIndexes), shard, index, rowsRead);
      ShardComparison comparison =
          new ShardComparison(shard.shard(), compared, keyIndexes, request.mostDifferences());
      long most = Math.max(source.estimatedRows(), table.writtenRows(shard.shard()));
      int parts = (int) Math.min(MOST_PARTS, 1 + most / ROWS_IN_MEMORY);
      if (parts == 1) {
        comparison.compare(sourceRows, tableRows);
      } else {
        try (SpilledRows sourceParts = SpilledRows.of(sourceRows, request.folder(), parts);
            SpilledRows tableParts = SpilledRows.of(tableRows, request.folder(), parts)) {
          for (int part = 0; part < parts; part++) {
            comparison.compare(sourceParts.part(part), tableParts.part(part));
          }
        }
      }
      return comparison;
    } catch (SQLException | IOException e) {
      throw new VerifyException(
          "Cannot verify %s: expected to read it, found %s".formatted(shard, e.getMessage()), e);
    }
  }

  private int[] keyIndexes(ShardToVerify shard, SourceTableReader source, List<String> compared)
      throws SQLException {
    List<String> key =
        request.keyColumns().isPresent() ? request.keyColumns().get() : source.primaryKey();
    if (key.isEmpty()) {
      throw new VerifyException(
          "Cannot verify %s: expected a primary key, found none".formatted(shard));
    }
    int[] indexes = new int[key.size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = compared.indexOf(key.get(i));
      if (indexes[i] < 0) {
        throw new VerifyException(
            "Cannot verify %s: expected the key column '%s' in the table, found %s"
                .formatted(shard, key.get(i), compared));
      }
    }
    return indexes;
  }

  private RowSource counted(RowSource rows, ShardToVerify shard, int index, long[] rowsRead) {
    return taker ->
        rows.forEach(
            row -> {
              if (++rowsRead[0] % PROGRESS_ROWS == 0) {
                progress.at(shard.shard(), index, request.shards().size(), rowsRead[0]);
              }
              taker.take(row);
            });
  }

  private SortedMap<ServerName, String> binlogEnds() {
    SortedMap<ServerName, String> ends = new TreeMap<>();
    for (ShardToVerify shard : request.shards()) {
      if (!ends.containsKey(shard.server())) {
        try (Connection connection = request.servers().get(shard.server()).connect()) {
          ends.put(shard.server(), SourceTableReader.binlogEnd(connection));
        } catch (SQLException e) {
          throw new VerifyException(
              "Cannot verify: expected server %s to tell where its binlog ends, found %s"
                  .formatted(shard.server(), e.getMessage()),
              e);
        }
      }
    }
    return ends;
  }
}
