package io.tributary.ingest.source;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;

/**
 * Values as the server itself writes them, and the same text made of a row's value. Reads the
 * server in a way of its own: nothing of what is tested takes part.
 */
final class ServerText {
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

  private final RowLayout layout;

  ServerText(RowLayout layout) {
    this.layout = layout;
  }

  /** All rows of a table by their key's texts. */
  Map<List<String>, List<String>> rows(Connection connection, String table) throws SQLException {
    Map<List<String>, List<String>> rows = new TreeMap<>(BY_TEXT);
    String columns =
        layout.columns().stream().map(ServerText::expression).collect(Collectors.joining(", "));
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION time_zone = '+00:00', sql_mode = ''");
      try (ResultSet result = statement.executeQuery("SELECT " + columns + " FROM " + table)) {
        while (result.next()) {
          String[] texts = new String[layout.columns().size()];
          for (int i = 0; i < texts.length; i++) {
            texts[i] = canonical(layout.columns().get(i), result.getString(i + 1));
          }
          put(rows, java.util.Arrays.asList(texts));
        }
      }
    }
    return rows;
  }

  private static final java.util.Comparator<List<String>> BY_TEXT =
      java.util.Comparator.comparing(Object::toString);

  private void put(Map<List<String>, List<String>> rows, List<String> texts) {
    if (rows.put(keyOf(texts), texts) != null) {
      throw new AssertionError("Expected one row per key, found two of " + keyOf(texts));
    }
  }

  List<String> keyOf(List<String> texts) {
    return layout.key().stream().map(texts::get).toList();
  }

  /** The texts of a row's values; the shard's number in front is left out. */
  List<String> of(RowData row) {
    return IntStream.range(0, layout.columns().size())
        .mapToObj(
            i -> {
              RowLayout.Column column = layout.columns().get(i);
              Object value =
                  RowData.createFieldGetter(column.type().rowType(true), i + 1).getFieldOrNull(row);
              return value == null ? null : text(column, value);
            })
        .collect(Collectors.toList());
  }

  private static boolean is(RowLayout.Column column, String type) {
    return column.sourceType().startsWith(type);
  }

  private static String expression(RowLayout.Column column) {
    String name = "`" + column.name().replace("`", "``") + "`";
    if (column.type().kind() == ColumnType.Kind.BINARY) {
      return "HEX(" + name + ")";
    } else if (column.type().kind() == ColumnType.Kind.TEXT) {
      return is(column, "time") || is(column, "decimal")
          ? "CAST(" + name + " AS CHAR)"
          : "HEX(CONVERT(" + name + " USING utf8mb4))";
    } else if (is(column, "bit")) {
      return "CAST(" + name + " + 0 AS CHAR)";
    } else if (is(column, "float") || is(column, "double")) {
      return "CAST(" + name + " + 0e0 AS CHAR)";
    }
    return "CAST(" + name + " AS CHAR)";
  }

  private static String canonical(RowLayout.Column column, String text) {
    if (text == null) {
      return null;
    }
    return switch (column.type().kind()) {
      case FLOAT -> Float.toString((float) Double.parseDouble(text));
      case DOUBLE -> Double.toString(Double.parseDouble(text));
      case INT, LONG, DECIMAL -> new java.math.BigDecimal(text).toPlainString();
      case DATE -> zeroDate(text) ? null : text;
      case DATE_TIME, MOMENT ->
          zeroDate(text)
              ? null
              : text.contains(".") ? text + "0".repeat(26 - text.length()) : text + ".000000";
      default -> text;
    };
  }

  private static boolean zeroDate(String text) {
    return text.startsWith("0000") || text.startsWith("00", 5) || text.startsWith("00", 8);
  }

  private static String text(RowLayout.Column column, Object value) {
    return switch (column.type().kind()) {
      case BINARY -> HexFormat.of().withUpperCase().formatHex((byte[]) value);
      case TEXT ->
          is(column, "time") || is(column, "decimal")
              ? value.toString()
              : HexFormat.of()
                  .withUpperCase()
                  .formatHex(value.toString().getBytes(StandardCharsets.UTF_8));
      case DATE -> LocalDate.ofEpochDay((int) value).toString();
      case DATE_TIME, MOMENT -> SECONDS.format(((TimestampData) value).toLocalDateTime());
      case DECIMAL -> ((DecimalData) value).toBigDecimal().toPlainString();
      default -> value.toString();
    };
  }
}
