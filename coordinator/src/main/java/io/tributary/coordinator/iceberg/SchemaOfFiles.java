package io.tributary.coordinator.iceberg;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * Whether files mean in a table what they meant to their writer. The number of a version of the
 * schema does not say so: a table whose metadata is put back, and then gets columns, gives numbers
 * and field ids a second time.
 */
public final class SchemaOfFiles {
  private SchemaOfFiles() {}

  /**
   * @param written the schema that the files were written with
   * @param current the table's
   * @param versions those that the table had, as far as nobody removed them
   * @param lastColumnId the highest field id that the table ever gave
   * @return what does not fit: "expected ..., found ..."; absent when all does
   */
  public static Optional<String> mismatch(
      Schema written, Schema current, Collection<Schema> versions, int lastColumnId) {
    if (versions.stream().anyMatch(written::sameSchema)) {
      return Optional.empty();
    }
    // Expiry in another engine may remove versions that no snapshot has any more.
    if (!written.identifierFieldIds().equals(current.identifierFieldIds())) {
      return Optional.of(
          "expected files whose deletes are by fields %s, found fields %s"
              .formatted(current.identifierFieldIds(), written.identifierFieldIds()));
    }
    for (Types.NestedField field : written.columns()) {
      Types.NestedField there = current.asStruct().field(field.fieldId());
      // Within one history an id is not given twice: it is that of a column that was dropped,
      // unless a version that is known says of which other one.
      boolean dropped =
          there == null
              && field.fieldId() <= lastColumnId
              && versions.stream()
                  .map(version -> version.asStruct().field(field.fieldId()))
                  .filter(Objects::nonNull)
                  .allMatch(known -> known.name().equals(field.name()) && isHeldBy(field, known));
      boolean kept = there != null && there.name().equals(field.name()) && isHeldBy(field, there);
      if (!dropped && !kept) {
        return Optional.of(
            "expected files written with a version of the table's schema, found field %d '%s' %s in theirs and %s in the table's; somebody put older metadata back, or changed the column and removed the table's older schemas"
                .formatted(
                    field.fieldId(),
                    field.name(),
                    field.type(),
                    there == null
                        ? "no such field"
                        : "'%s' %s".formatted(there.name(), there.type())));
      }
    }
    return Optional.empty();
  }

  private static boolean isHeldBy(Types.NestedField field, Types.NestedField there) {
    return field.type().equals(there.type())
        || there.type().isPrimitiveType()
            && TypeUtil.isPromotionAllowed(field.type(), there.type().asPrimitiveType());
  }
}
