package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.protocol.RequestedColumn;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * What the columns that jobs ask for change in a schema, as far as nothing that is there loses
 * anything: columns are added as optional ones, types are widened. A request that is met already
 * changes nothing, so it may come twice and from several groups. One that contradicts the schema
 * changes nothing either: its job sees the column as it is, and halts its shard.
 *
 * @param added columns that the schema does not have, by name, in the order in which they get ids
 * @param widened columns that it has with a narrower type, by name
 */
public record SchemaEvolution(
    Map<String, Type.PrimitiveType> added, Map<String, Type.PrimitiveType> widened) {
  public SchemaEvolution {
    added = Collections.unmodifiableMap(new LinkedHashMap<>(added));
    widened = Collections.unmodifiableMap(new LinkedHashMap<>(widened));
  }

  /**
   * @param found the schema to be changed
   * @param protections all of them, outside tests that show what one of them is for
   * @throws IllegalArgumentException when a type is none of Iceberg's
   */
  public static SchemaEvolution of(
      Schema found, Collection<RequestedColumn> columns, Protections protections) {
    Map<String, Type.PrimitiveType> added = new LinkedHashMap<>();
    Map<String, Type.PrimitiveType> widened = new LinkedHashMap<>();
    for (RequestedColumn column : columns) {
      Type.PrimitiveType wanted = Types.fromPrimitiveString(column.type());
      // Many readers know no difference of case: such a column would be two to us and one to them.
      Types.NestedField there =
          column.field().isPresent()
              ? found.findField(column.field().get())
              : found.caseInsensitiveFindField(column.name());
      if (there == null && column.field().isPresent()) {
        // Somebody dropped it meanwhile; the job sees that, and asks for what it needs then.
        continue;
      }
      if (there == null || !protections.holds(Protection.COLUMNS_ADDED_ONCE)) {
        added.merge(column.name(), wanted, SchemaEvolution::wider);
      } else if ((column.field().isPresent() || there.name().equals(column.name()))
          && there.type().isPrimitiveType()) {
        Type.PrimitiveType now = there.type().asPrimitiveType();
        Type.PrimitiveType next =
            protections.holds(Protection.COLUMNS_ONLY_WIDEN)
                ? wider(widened.getOrDefault(there.name(), now), wanted)
                : wanted;
        if (!next.equals(now)) {
          widened.put(there.name(), next);
        }
      }
    }
    return new SchemaEvolution(added, widened);
  }

  /** The wider of two types; the first when they are no versions of one. */
  private static Type.PrimitiveType wider(Type.PrimitiveType one, Type.PrimitiveType other) {
    return TypeUtil.isPromotionAllowed(one, other) ? other : one;
  }

  /** Adds and widens in an update that begins with the schema that this was found for. */
  void applyTo(UpdateSchema update) {
    added.forEach(update::addColumn);
    widened.forEach(update::updateColumn);
  }
}
