package io.tributary.ingest.seal;

import io.tributary.protocol.TableUuid;
import java.util.Objects;

/**
 * The table and the numbers of its layout that files were written for.
 *
 * @param tableUuid the table
 * @param schemaId the table's schema
 * @param specId the table's partition spec
 * @param formatVersion the table's format version
 */
public record TableLayout(TableUuid tableUuid, int schemaId, int specId, int formatVersion) {
  public TableLayout {
    Objects.requireNonNull(tableUuid, "tableUuid");
  }

  /** Whether files of the other layout may share an epoch with files of this one. */
  boolean sharesEpochsWith(TableLayout other) {
    return tableUuid.equals(other.tableUuid)
        && specId == other.specId
        && formatVersion == other.formatVersion;
  }
}
