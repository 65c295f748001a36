package io.tributary.registry;

import io.tributary.protocol.TableName;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One Iceberg table, which takes in all shards of one logical MySQL table.
 *
 * @param name name in the catalog, namespace first
 * @param key which columns identify a row within its shard
 * @param bucketColumn the key column that rows are spread over buckets by; the key itself when
 *     empty, which needs a key of one column
 * @param bucketCount number of buckets per shard; 1 to 10,000
 * @param shardIdColumn name of the column that Tributary adds for the shard's number
 * @param chunkKeyColumn the key column that the initial snapshot is cut into chunks by; chosen from
 *     the source when empty
 * @param columnTypes the types of columns that are not to have the one that loses nothing, by name
 * @param schemaChangeBehavior what is done when a shard's columns change
 * @param truncateBehavior what is done when a shard loses all of its rows by one statement
 * @param owner who answers for the table; written to its {@code owner} property
 * @param controlTopic topic of the committables, one partition
 * @param statusTopic topic of the commit-status messages, one partition
 * @param properties Iceberg table properties under their own names; plain values only, since
 *     readers of the table see them
 */
public record TableSpec(
    TableName name,
    TableKey key,
    Optional<String> bucketColumn,
    int bucketCount,
    String shardIdColumn,
    Optional<String> chunkKeyColumn,
    Map<String, ColumnTypeOverride> columnTypes,
    SchemaChangeBehavior schemaChangeBehavior,
    TruncateBehavior truncateBehavior,
    Optional<String> owner,
    String controlTopic,
    String statusTopic,
    PassThroughProperties properties) {
  /** Buckets of a table whose registry does not say. */
  public static final int DEFAULT_BUCKET_COUNT = 5;

  /** Name of the shard-number column of a table whose registry does not say. */
  public static final String DEFAULT_SHARD_ID_COLUMN = "shard_id";

  /** What a table does whose registry does not say. */
  public static final SchemaChangeBehavior DEFAULT_SCHEMA_CHANGE_BEHAVIOR =
      SchemaChangeBehavior.EVOLVE;

  /** What is done with a shard that loses all of its rows when the registry does not say. */
  public static final TruncateBehavior DEFAULT_TRUNCATE_BEHAVIOR = TruncateBehavior.HALT;

  static final int MOST_BUCKETS = 10_000;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public TableSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(key, "key");
    bucketColumn.ifPresent(column -> Checks.text("bucket column of table " + name, column));
    Checks.between("bucket count of table " + name, bucketCount, 1, MOST_BUCKETS);
    Checks.text("shard-id column of table " + name, shardIdColumn);
    chunkKeyColumn.ifPresent(column -> Checks.text("chunk key column of table " + name, column));
    columnTypes = Collections.unmodifiableMap(new TreeMap<>(columnTypes));
    Objects.requireNonNull(schemaChangeBehavior, "schemaChangeBehavior");
    Objects.requireNonNull(truncateBehavior, "truncateBehavior");
    owner.ifPresent(who -> Checks.text("owner of table " + name, who));
    Checks.text("control topic of table " + name, controlTopic);
    Checks.text("status topic of table " + name, statusTopic);
    Objects.requireNonNull(properties, "properties");
    if (properties.holdsSecrets()) {
      throw new IllegalArgumentException(
          "Cannot use the properties of table "
              + name
              + ": expected plain values, found a reference to a secret");
    }
  }
}
