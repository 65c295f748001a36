package io.tributary.coordinator.iceberg;

import io.tributary.protocol.RequestedColumn;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * Brings the columns that jobs ask for into a schema, as far as nothing that is there loses
 * anything: columns are added as optional ones, types are widened. A request that is met already
 * changes nothing, so it may come twice and from several groups. One that contradicts the schema
 * changes nothing either: its job sees the column as it is, and halts its shard.
 */
final class SchemaEvolution {
  private SchemaEvolution() {}

  /**
   * @param found the schema that {@code update} begins with
   * @throws IllegalArgumentException when a type is none of Iceberg's
   */
  static void apply(UpdateSchema update, Schema found, Collection<RequestedColumn> columns) {
    Map<String, Type.PrimitiveType> added = new LinkedHashMap<>();
    Map<String, Type.PrimitiveType> widened = new LinkedHashMap<>();
    for (RequestedColumn column : columns) {
      Type.PrimitiveType wanted = Types.fromPrimitiveString(column.type());
      // Many readers know no difference of case: such a column would be two to us and one to them.
      Types.NestedField there = found.caseInsensitiveFindField(column.name());
      if (there == null) {
        added.merge(column.name(), wanted, SchemaEvolution::wider);
      } else if (there.name().equals(column.name()) && there.type().isPrimitiveType()) {
        Type.PrimitiveType now = there.type().asPrimitiveType();
        Type.PrimitiveType wide = wider(widened.getOrDefault(column.name(), now), wanted);
        if (!wide.equals(now)) {
          widened.put(column.name(), wide);
        }
      }
    }
    added.forEach(update::addColumn);
    widened.forEach(update::updateColumn);
  }

  /** The wider of two types; the first when they are no versions of one. */
  private static Type.PrimitiveType wider(Type.PrimitiveType one, Type.PrimitiveType other) {
    return TypeUtil.isPromotionAllowed(one, other) ? other : one;
  }
}
