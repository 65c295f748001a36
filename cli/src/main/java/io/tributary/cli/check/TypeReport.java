package io.tributary.cli.check;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.SourceColumn;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.TypeMapping;
import io.tributary.registry.ColumnTypeOverride;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which type each column of a table gets, and what of its values the table cannot hold. */
final class TypeReport {
  private TypeReport() {}

  /**
   * One line for each column and each type that it has in a shard.
   *
   * @param shards of the table
   */
  static List<CheckReport.Column> of(TableSpec table, List<SourceSchema> shards) {
    Map<String, Set<SourceColumn>> columns = new LinkedHashMap<>();
    for (SourceSchema shard : shards) {
      for (SourceColumn column : shard.columns()) {
        Set<SourceColumn> forms =
            columns.computeIfAbsent(column.name(), any -> new LinkedHashSet<>());
        if (forms.stream().noneMatch(one -> one.columnType().equals(column.columnType()))) {
          forms.add(column);
        }
      }
    }
    List<CheckReport.Column> report = new ArrayList<>();
    columns.values().forEach(forms -> forms.forEach(form -> report.add(line(table, form))));
    return report;
  }

  private static CheckReport.Column line(TableSpec table, SourceColumn column) {
    Optional<ColumnTypeOverride> wanted =
        Optional.ofNullable(table.columnTypes().get(column.name()));
    TypeMapping.Answer answer = TypeMapping.of(column, wanted);
    if (answer instanceof TypeMapping.Mapped mapped) {
      return new CheckReport.Column(
          table.name(),
          column.name(),
          column.columnType(),
          Optional.of(mapped.type().toString()),
          wanted.map(ColumnTypeOverride::loss).orElseGet(() -> loss(column, mapped.type())));
    }
    return new CheckReport.Column(
        table.name(),
        column.name(),
        column.columnType(),
        Optional.empty(),
        ((TypeMapping.Refused) answer).reason() + " is refused");
  }

  private static String loss(SourceColumn column, ColumnType type) {
    return switch (type.kind()) {
      case DATE, DATE_TIME, MOMENT -> "zero dates and days that no calendar knows become NULL";
      case TEXT ->
          switch (column.dataType()) {
            case "decimal", "numeric" -> "none in the value: more than 38 digits travel as text";
            case "time" -> "none in the value: no time of day holds it, so it travels as text";
            default -> "";
          };
      default -> "";
    };
  }
}
