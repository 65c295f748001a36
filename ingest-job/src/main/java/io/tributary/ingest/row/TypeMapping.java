package io.tributary.ingest.row;

import io.tributary.ingest.row.ColumnType.Kind;
import io.tributary.registry.ColumnTypeOverride;
import java.util.Optional;

/**
 * Which type of the table a MySQL column gets: one that loses nothing, or none.
 *
 * <pre>
 * tinyint, smallint, mediumint, int, their unsigned forms but int's, year    int
 * int unsigned, bigint                                                       long
 * bigint unsigned                                                            decimal(20, 0)
 * decimal(p, s), p up to 38                                                  decimal(p, s)
 * decimal(p, s), p above 38                                                  string, all digits
 * bit(1..31), bit(32..63), bit(64)                  int, long, decimal(20, 0): the numeric value
 * float, double                                                              float, double
 * char, varchar, the texts, enum, set, json                                  string
 * binary, varbinary, the blobs                                               binary
 * date                                                                       date
 * datetime                                                                   timestamp
 * timestamp                                                                  timestamptz
 * time                                                           string, as the server writes it
 * geometry and its kinds                    binary, as the server keeps it: SRID, low byte first; WKB
 * </pre>
 *
 * Tinyint(1) is a number like any other, since it holds -128 to 127. A zero date ('0000-00-00' or
 * with a zero month or day), which no calendar knows, becomes NULL. A time may be negative or above
 * 24 hours, which no time of day is, so it is text.
 */
public final class TypeMapping {
  private TypeMapping() {}

  /** The answer for one column. */
  public sealed interface Answer {}

  /** The column has a place in the table. */
  public record Mapped(ColumnType type) implements Answer {}

  /**
   * It has none.
   *
   * @param reason what was found
   * @param cure what to do about it
   */
  public record Refused(String reason, String cure) implements Answer {}

  private static final String LEAVE_OUT =
      "change the column's type at the source, or move the table to a pipeline that needs no such"
          + " column";

  /**
   * @param wanted the type that the registry wants in the place of the one that loses nothing
   */
  public static Answer of(SourceColumn column, Optional<ColumnTypeOverride> wanted) {
    return wanted.isEmpty() ? of(column) : of(column, wanted.get());
  }

  private static Answer of(SourceColumn column, ColumnTypeOverride wanted) {
    String type = column.dataType();
    boolean whole = type.endsWith("int") || type.equals("integer");
    boolean decimal = type.equals("decimal") || type.equals("numeric");
    boolean bit = type.equals("bit");
    boolean fits =
        switch (wanted) {
          case BOOLEAN -> type.equals("tinyint") || bit && column.precision().orElse(1) == 1;
          case DOUBLE, STRING -> whole || decimal;
          case LONG -> whole || bit;
        };
    if (!fits) {
      return new Refused(
          "type " + column.columnType() + ", which the registry wants as " + wanted.word(),
          "take the column out of 'column-types' in the registry: boolean takes tinyint and bit(1),"
              + " double and string take decimals and whole numbers, long takes whole numbers and"
              + " bits");
    }
    return mapped(
        switch (wanted) {
          case BOOLEAN -> Kind.BOOLEAN;
          case DOUBLE -> Kind.DOUBLE;
          case STRING -> Kind.TEXT;
          case LONG -> Kind.LONG;
        });
  }

  public static Answer of(SourceColumn column) {
    if (column.columnType().contains("compressed") && !column.columnType().contains("'")) {
      // No label, but MariaDB's word: the binlog type is one that the change reader does not know.
      return new Refused("type " + column.columnType(), LEAVE_OUT);
    }
    return switch (column.dataType()) {
      case "tinyint", "smallint", "mediumint", "year" -> mapped(Kind.INT);
      case "int", "integer" -> mapped(column.unsigned() ? Kind.LONG : Kind.INT);
      case "bigint" ->
          column.unsigned() ? new Mapped(ColumnType.decimal(20, 0)) : mapped(Kind.LONG);
      case "decimal", "numeric" -> decimal(column);
      case "bit" -> bits(column.precision().orElse(1));
      case "float" -> mapped(Kind.FLOAT);
      case "double", "real" -> mapped(Kind.DOUBLE);
      case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json" ->
          mapped(Kind.TEXT);
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
          mapped(Kind.BINARY);
      case "date" -> mapped(Kind.DATE);
      case "datetime" -> mapped(Kind.DATE_TIME);
      case "timestamp" -> mapped(Kind.MOMENT);
      case "time" -> mapped(Kind.TEXT);
      case "geometry",
          "point",
          "linestring",
          "polygon",
          "multipoint",
          "multilinestring",
          "multipolygon",
          "geometrycollection",
          "geomcollection" ->
          mapped(Kind.BINARY);
      default -> new Refused("type " + column.columnType(), LEAVE_OUT);
    };
  }

  private static Answer mapped(Kind kind) {
    return new Mapped(ColumnType.of(kind));
  }

  private static Answer decimal(SourceColumn column) {
    int precision = column.precision().orElse(10);
    return precision <= ColumnType.MOST_DIGITS
        ? new Mapped(ColumnType.decimal(precision, column.scale().orElse(0)))
        : mapped(Kind.TEXT);
  }

  private static Answer bits(int width) {
    if (width < 32) {
      return mapped(Kind.INT);
    }
    return width < 64 ? mapped(Kind.LONG) : new Mapped(ColumnType.decimal(20, 0));
  }
}
