package io.tributary.ingest.source;

import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.CharacterTable;
import io.tributary.ingest.row.RowForm;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardFit;
import io.tributary.ingest.row.TableColumns;
import io.tributary.protocol.ShardId;
import java.util.Map;

/**
 * How the records behind it are to be turned into rows.
 *
 * @param form of the rows
 * @param layouts of the shards that are read
 * @param refused shards whose columns cannot be brought into the table, and why
 * @param schemas what the server was asked for
 * @param table the table's columns
 * @param fits of the shards that are read
 */
record Opened(
    RowForm form,
    Map<ShardId, RowLayout> layouts,
    Map<ShardId, String> refused,
    Map<TableId, TableChange> schemas,
    Map<String, CharacterTable> characterTables,
    TableColumns table,
    Map<ShardId, ShardFit> fits)
    implements ReaderNote {
  Opened {
    layouts = Map.copyOf(layouts);
    refused = Map.copyOf(refused);
    schemas = Map.copyOf(schemas);
    characterTables = Map.copyOf(characterTables);
    fits = Map.copyOf(fits);
  }
}
