package io.tributary.cli.plan;

import io.tributary.cli.CliException;
import io.tributary.cli.ExitCode;
import io.tributary.cli.LakeTable;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.registry.CatalogSpec;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types.NestedField;

/** Looks at tables in their catalog; reads metadata only. */
public final class TableSurvey {
  private TableSurvey() {}

  /**
   * @throws CliException when the catalog cannot be asked; names the way out
   */
  public static TableFacts look(CatalogSpec catalog, TableName name) {
    try (LakeTable lake = LakeTable.open(catalog, name)) {
      Optional<Table> table = lake.load();
      if (table.isEmpty()) {
        return new TableFacts.Absent();
      }
      Optional<TableState> state = TableStateCodec.decode(table.get().properties());
      TableFacts.Shape shape = shape(table.get());
      return state
          .<TableFacts>map(found -> new TableFacts.Ours(shape, found))
          .orElseGet(() -> new TableFacts.Foreign(shape));
    } catch (RuntimeException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot plan for table %s: expected to read it from catalog %s, found: %s; cure: bring that back, or plan from the registries alone: --offline"
              .formatted(name, catalog.name(), e.getMessage()),
          e);
    }
  }

  static TableFacts.Shape shape(Table table) {
    SortedMap<String, String> columns = new TreeMap<>();
    for (NestedField column : table.schema().columns()) {
      columns.put(column.name(), column.type().toString());
    }
    return new TableFacts.Shape(
        new TreeSet<>(table.schema().identifierFieldNames()),
        table.spec().fields().stream()
            .map(
                field ->
                    field.transform() + "(" + table.schema().findColumnName(field.sourceId()) + ")")
            .toList(),
        columns);
  }
}
