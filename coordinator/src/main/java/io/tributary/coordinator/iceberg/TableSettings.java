package io.tributary.coordinator.iceberg;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.iceberg.TableProperties;

/**
 * What the operator says of a table that is to be created.
 *
 * @param owner who answers for the table; absent when nobody is named
 * @param properties Iceberg table properties under their own names
 */
public record TableSettings(Optional<String> owner, Map<String, String> properties) {
  /** Properties that the commit protocol rests on. */
  private static final Map<String, String> FIXED =
      Map.of(
          TableProperties.FORMAT_VERSION,
          Integer.toString(LedgerChecks.FORMAT_VERSION),
          LedgerChecks.HIVE_LOCK,
          "false",
          TableProperties.MANIFEST_MERGE_ENABLED,
          "false");

  private static final Map<String, String> DEFAULTS =
      Map.of(
          TableProperties.DEFAULT_FILE_FORMAT,
          "parquet",
          TableProperties.PARQUET_COMPRESSION,
          "zstd",
          TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED,
          "true",
          // Iceberg's own five days are tens of thousands of snapshots, all of them in every
          // commit.
          TableProperties.MAX_SNAPSHOT_AGE_MS,
          Long.toString(Duration.ofHours(6).toMillis()),
          TableProperties.MIN_SNAPSHOTS_TO_KEEP,
          "100");

  /**
   * @throws IllegalArgumentException when a property contradicts the commit protocol
   */
  public TableSettings {
    Objects.requireNonNull(owner, "owner");
    properties = Map.copyOf(properties);
    for (Map.Entry<String, String> property : properties.entrySet()) {
      String fixed = FIXED.get(property.getKey());
      if (fixed != null && !fixed.equals(property.getValue())) {
        throw new IllegalArgumentException(
            "Cannot create a table with %s=%s: expected %s, which the commit protocol rests on; remove the property"
                .formatted(property.getKey(), property.getValue(), fixed));
      }
      if (property.getKey().startsWith("tributary.")) {
        throw new IllegalArgumentException(
            "Cannot create a table with %s: expected no property that begins with 'tributary.', which are the coordinator's own"
                .formatted(property.getKey()));
      }
    }
  }

  /** All properties that a new table gets, the coordinator's state apart. */
  Map<String, String> forNewTable() {
    Map<String, String> all = new TreeMap<>(DEFAULTS);
    all.putAll(properties);
    all.putAll(FIXED);
    owner.ifPresent(
        who -> {
          all.put("owner", who);
          all.put("hive.metastore.table.owner", who);
        });
    return all;
  }
}
