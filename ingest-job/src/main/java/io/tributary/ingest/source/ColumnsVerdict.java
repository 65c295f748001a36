package io.tributary.ingest.source;

import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardFit;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether a source may read on with the table as it is. */
public sealed interface ColumnsVerdict {
  /**
   * The table has all columns.
   *
   * @param layouts the columns of each shard with their types in the table
   */
  record Fitting(Map<ShardId, RowLayout> layouts) implements ColumnsVerdict {
    public Fitting {
      layouts = Map.copyOf(layouts);
    }
  }

  /**
   * The table has to get columns first.
   *
   * @param wishes one of each shard that lacks some
   */
  record Lacking(List<SchemaWish> wishes) implements ColumnsVerdict {
    public Lacking {
      wishes = List.copyOf(wishes);
    }
  }

  /**
   * A source reads all of its shards or none: they share one binlog.
   *
   * @param fits of the shards to be read; nothing stands against any of them
   * @param position where the source stands
   * @param protections all of them, outside tests that show what one of them is for
   */
  static ColumnsVerdict of(
      Map<ShardId, ShardFit> fits, SourcePosition position, Set<SealerProtection> protections) {
    List<SchemaWish> wishes = new ArrayList<>();
    Map<ShardId, RowLayout> layouts = new HashMap<>();
    fits.forEach(
        (shard, fit) -> {
          if (!fit.missing().isEmpty()) {
            wishes.add(new SchemaWish(shard, fit.missing(), position));
          }
          layouts.put(shard, fit.layout());
        });
    return wishes.isEmpty() || !protections.contains(SealerProtection.COLUMNS_BEFORE_ROWS)
        ? new Fitting(layouts)
        : new Lacking(wishes);
  }
}
