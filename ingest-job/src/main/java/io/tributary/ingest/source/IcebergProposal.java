package io.tributary.ingest.source;

import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.RowLayout;
import io.tributary.protocol.TableProposal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Types;

/** Says in Iceberg's own words what a group's sources want the table to be. */
public final class IcebergProposal {
  private IcebergProposal() {}

  /**
   * The shard column and the key are required and identify a row; every other column is optional,
   * so that a source may drop its NOT NULL, and a zero date has a place.
   *
   * @param bucketCount buckets per shard, at least 1
   */
  public static TableProposal of(LayoutPlanner.Plan plan, int bucketCount) {
    RowLayout layout = plan.layout();
    List<Types.NestedField> fields = new ArrayList<>();
    Set<Integer> identifiers = new LinkedHashSet<>();
    fields.add(Types.NestedField.required(1, layout.shardColumn(), Types.IntegerType.get()));
    identifiers.add(1);
    for (int i = 0; i < layout.columns().size(); i++) {
      RowLayout.Column column = layout.columns().get(i);
      org.apache.iceberg.types.Type type = Types.fromPrimitiveString(column.type().toString());
      int id = i + 2;
      if (layout.isKey(i)) {
        fields.add(Types.NestedField.required(id, column.name(), type));
        identifiers.add(id);
      } else {
        fields.add(Types.NestedField.optional(id, column.name(), type));
      }
    }
    return new TableProposal(
        SchemaParser.toJson(new Schema(fields, identifiers)),
        layout.shardColumn(),
        plan.bucketColumn(),
        bucketCount);
  }
}
