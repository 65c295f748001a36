package io.tributary.coordinator.iceberg;

import java.util.Map;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;

/**
 * How much of a table's past is kept, as the table's own properties say under Iceberg's names.
 *
 * @param expires whether anything may be removed at all: {@code gc.enabled}
 * @param snapshotAgeMs how long a snapshot is kept after its commit, in milliseconds, above 0
 * @param snapshotsKept how many of main's newest snapshots are kept whatever their age, at least 1
 * @param manifestsToMerge how many small manifests there must be before they are merged, at least 2
 * @param manifestBytes how large a merged manifest becomes, in bytes, above 0
 */
record Retention(
    boolean expires,
    long snapshotAgeMs,
    int snapshotsKept,
    int manifestsToMerge,
    long manifestBytes) {
  /**
   * @throws IllegalArgumentException when a property is no number in its range
   */
  static Retention of(TableMetadata table) {
    Map<String, String> properties = table.properties();
    return new Retention(
        !"false"
            .equalsIgnoreCase(properties.getOrDefault(TableProperties.GC_ENABLED, "true").trim()),
        number(
            properties,
            TableProperties.MAX_SNAPSHOT_AGE_MS,
            TableProperties.MAX_SNAPSHOT_AGE_MS_DEFAULT,
            1,
            Long.MAX_VALUE),
        (int)
            number(
                properties,
                TableProperties.MIN_SNAPSHOTS_TO_KEEP,
                TableProperties.MIN_SNAPSHOTS_TO_KEEP_DEFAULT,
                1,
                Integer.MAX_VALUE),
        (int)
            number(
                properties,
                TableProperties.MANIFEST_MIN_MERGE_COUNT,
                TableProperties.MANIFEST_MIN_MERGE_COUNT_DEFAULT,
                2,
                Integer.MAX_VALUE),
        number(
            properties,
            TableProperties.MANIFEST_TARGET_SIZE_BYTES,
            TableProperties.MANIFEST_TARGET_SIZE_BYTES_DEFAULT,
            1,
            Long.MAX_VALUE));
  }

  private static long number(
      Map<String, String> properties, String name, long otherwise, long least, long most) {
    String text = properties.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text.trim());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Told below, with those out of range.
    }
    throw new IllegalArgumentException(
        "expected property %s to be a whole number of %d to %d, found '%s'"
            .formatted(name, least, most, text));
  }
}
