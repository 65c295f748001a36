package io.tributary.ingest.row;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One column of a MySQL table, as {@code information_schema.columns} describes it.
 *
 * @param name its exact name
 * @param dataType the base type in lower case, such as {@code bigint}
 * @param columnType the full type in lower case, such as {@code bigint(20) unsigned}
 * @param nullable whether NULL is allowed
 * @param characters for character and binary types the declared length
 * @param precision for exact numbers all digits, for BIT the bits
 * @param scale for exact numbers the digits after the point
 * @param fraction for times the digits of the second's fraction, 0 to 6
 * @param collation for character types the collation
 * @param extra the server's remarks, in lower case, such as {@code invisible}
 */
public record SourceColumn(
    String name,
    String dataType,
    String columnType,
    boolean nullable,
    OptionalLong characters,
    OptionalInt precision,
    OptionalInt scale,
    OptionalInt fraction,
    Optional<String> collation,
    String extra) {
  private static final Set<String> PLAIN = Set.of("ascii", "utf8", "utf8mb3", "utf8mb4", "uca1400");

  public SourceColumn {
    Objects.requireNonNull(name, "name");
    dataType = dataType.toLowerCase(Locale.ROOT);
    columnType = columnType.toLowerCase(Locale.ROOT);
    Objects.requireNonNull(characters, "characters");
    Objects.requireNonNull(precision, "precision");
    Objects.requireNonNull(scale, "scale");
    Objects.requireNonNull(fraction, "fraction");
    Objects.requireNonNull(collation, "collation");
    extra = extra.toLowerCase(Locale.ROOT);
  }

  /** A column of a type that needs no further numbers. */
  public static SourceColumn of(String name, String columnType) {
    return new SourceColumn(
        name,
        columnType.split("[ (]", 2)[0],
        columnType,
        true,
        OptionalLong.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        "");
  }

  /** The same column, not nullable. */
  public SourceColumn notNull() {
    return new SourceColumn(
        name,
        dataType,
        columnType,
        false,
        characters,
        precision,
        scale,
        fraction,
        collation,
        extra);
  }

  /** The same column, nullable. */
  public SourceColumn orNull() {
    return new SourceColumn(
        name, dataType, columnType, true, characters, precision, scale, fraction, collation, extra);
  }

  /** The same column with digits of an exact number, or bits. */
  public SourceColumn digits(int digits, int afterPoint) {
    return new SourceColumn(
        name,
        dataType,
        columnType,
        nullable,
        characters,
        OptionalInt.of(digits),
        OptionalInt.of(afterPoint),
        fraction,
        collation,
        extra);
  }

  /** The same column with digits of a second's fraction. */
  public SourceColumn fraction(int digits) {
    return new SourceColumn(
        name,
        dataType,
        columnType,
        nullable,
        characters,
        precision,
        scale,
        OptionalInt.of(digits),
        collation,
        extra);
  }

  /**
   * The character set of a text that has one of its own and is no UTF-8; empty for all others. The
   * labels of ENUM and SET are read from the table's definition, which is Unicode.
   */
  public String characterSet() {
    String set = collation.map(one -> one.split("_", 2)[0]).orElse("");
    boolean text =
        dataType.equals("char") || dataType.equals("varchar") || dataType.endsWith("text");
    return text && !PLAIN.contains(set) ? set : "";
  }

  /**
   * Whether an ENUM or SET has an empty label. Its text stands for two values then: for an ENUM's
   * error value too, and for a SET with and without that label.
   */
  public boolean hasEmptyLabel() {
    if (!dataType.equals("enum") && !dataType.equals("set")) {
      return false;
    }
    int at = dataType.length() + 1;
    while (at < columnType.length() && columnType.charAt(at) == '\'') {
      int begin = at + 1;
      int end = begin;
      // A quote within a label is written twice.
      while (columnType.charAt(end) != '\'' || columnType.startsWith("''", end)) {
        end += columnType.charAt(end) == '\'' ? 2 : 1;
      }
      if (end == begin) {
        return true;
      }
      at = end + 2;
    }
    return false;
  }

  public boolean unsigned() {
    // ZEROFILL implies UNSIGNED; some servers print only one of the two.
    return columnType.contains("unsigned") || columnType.contains("zerofill");
  }
}
