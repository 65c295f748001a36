package io.tributary.cli.verify;

import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Compares two sides of one shard, a part at a time: the table's rows of a part are held in memory,
 * the source's pass by.
 */
final class ShardComparison {
  /** The table's row of a key, and how often it was there. */
  private static final class Held {
    final PackedRow row;
    int times = 1;
    boolean inSource;

    Held(PackedRow row) {
      this.row = row;
    }
  }

  private final ShardId shard;
  private final List<String> columns;
  private final int[] keyIndexes;
  private final int mostDifferences;
  private final List<Difference> differences = new ArrayList<>();
  private long sourceRows;
  private long tableRows;
  private long lost;
  private long extra;
  private long doubled;
  private long different;

  /**
   * @param columns names of the compared columns, in the order of the rows' texts
   * @param keyIndexes places of the key columns among them
   * @param mostDifferences how many differences to keep with their values, at least 0
   */
  ShardComparison(ShardId shard, List<String> columns, int[] keyIndexes, int mostDifferences) {
    this.shard = shard;
    this.columns = List.copyOf(columns);
    this.keyIndexes = keyIndexes.clone();
    this.mostDifferences = mostDifferences;
  }

  /** Compares one part: no key of it may be in another part. */
  void compare(RowSource source, RowSource table) throws IOException, SQLException {
    Map<ByteBuffer, Held> held = new HashMap<>();
    table.forEach(
        row -> {
          tableRows++;
          Held before = held.putIfAbsent(ByteBuffer.wrap(row.key()), new Held(row));
          if (before != null) {
            before.times++;
          }
        });
    source.forEach(
        row -> {
          sourceRows++;
          Held inTable = held.get(ByteBuffer.wrap(row.key()));
          if (inTable == null) {
            lost++;
            note(Difference.Kind.LOST, row, null);
          } else {
            inTable.inSource = true;
            if (inTable.times > 1) {
              doubled++;
              note(Difference.Kind.DOUBLED, row, inTable.row);
            } else if (!inTable.row.sameValues(row)) {
              different++;
              note(Difference.Kind.DIFFERENT, row, inTable.row);
            }
          }
        });
    for (Held inTable : held.values()) {
      if (!inTable.inSource) {
        extra++;
        note(Difference.Kind.EXTRA, null, inTable.row);
      }
    }
  }

  ShardCounts counts() {
    return new ShardCounts(shard, sourceRows, tableRows, lost, extra, doubled, different);
  }

  List<Difference> differences() {
    return List.copyOf(differences);
  }

  private void note(Difference.Kind kind, PackedRow source, PackedRow table) {
    if (differences.size() >= mostDifferences) {
      return;
    }
    List<String> sourceTexts = source == null ? null : RowText.unpack(source.values());
    List<String> tableTexts = table == null ? null : RowText.unpack(table.values());
    Map<String, String> key = new LinkedHashMap<>();
    for (int index : keyIndexes) {
      key.put(columns.get(index), (sourceTexts == null ? tableTexts : sourceTexts).get(index));
    }
    List<Difference.ColumnDifference> changed = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      String inSource = sourceTexts == null ? null : sourceTexts.get(i);
      String inTable = tableTexts == null ? null : tableTexts.get(i);
      if (kind != Difference.Kind.DIFFERENT || !Objects.equals(inSource, inTable)) {
        changed.add(
            new Difference.ColumnDifference(
                columns.get(i), Optional.ofNullable(inSource), Optional.ofNullable(inTable)));
      }
    }
    differences.add(new Difference(shard, kind, key, changed));
  }
}
