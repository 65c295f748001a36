package io.tributary.coordinator.iceberg;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.types.Types;

/** Which columns of a table can get the names that all of its shards gave them. */
final class ColumnRenames {
  private ColumnRenames() {}

  /**
   * @param wanted new names by field id
   * @return those of columns that are there under another name, are no part of a key or partition,
   *     and whose new name no other column has, whatever its case
   */
  static SortedMap<Integer, String> of(TableMetadata base, Map<Integer, String> wanted) {
    Set<Integer> fixed = new HashSet<>(base.schema().identifierFieldIds());
    base.spec().fields().stream().map(PartitionField::sourceId).forEach(fixed::add);
    Set<String> taken = new HashSet<>();
    base.schema().columns().forEach(column -> taken.add(folded(column.name())));
    SortedMap<Integer, String> renames = new TreeMap<>();
    wanted.forEach(
        (field, name) -> {
          Types.NestedField column = base.schema().asStruct().field(field);
          if (column == null || column.name().equals(name) || fixed.contains(field)) {
            return;
          }
          boolean sameButForCase = folded(column.name()).equals(folded(name));
          if (sameButForCase || taken.add(folded(name))) {
            renames.put(field, name);
          }
        });
    return renames;
  }

  private static String folded(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
