package io.tributary.ingest.row;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * A type of the table that a source column maps to; each value that it takes in arrives unchanged.
 *
 * @param kind the type's family
 * @param precision all digits of a decimal, 1 to 38; 0 for other kinds
 * @param scale digits after the point of a decimal; 0 for other kinds
 */
public record ColumnType(Kind kind, int precision, int scale) implements Serializable {
  /** The most digits of a decimal in the table. */
  public static final int MOST_DIGITS = 38;

  private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d+), ?(\\d+)\\)");

  /** The families of types. */
  public enum Kind {
    /** True or false. */
    BOOLEAN("boolean"),
    /** 32 bits. */
    INT("int"),
    /** 64 bits. */
    LONG("long"),
    /** Single precision. */
    FLOAT("float"),
    /** Double precision. */
    DOUBLE("double"),
    /** Exact number. */
    DECIMAL("decimal"),
    /** Unicode text. */
    TEXT("string"),
    /** Bytes. */
    BINARY("binary"),
    /** Day. */
    DATE("date"),
    /** Time of day; milliseconds, since the row format takes no more. */
    TIME("time"),
    /** Date and time without a zone; microseconds. */
    DATE_TIME("timestamp"),
    /** A moment; microseconds. */
    MOMENT("timestamptz");

    private final String tableName;

    Kind(String tableName) {
      this.tableName = tableName;
    }
  }

  /**
   * @throws IllegalArgumentException when a number is out of its range
   */
  public ColumnType {
    Objects.requireNonNull(kind, "kind");
    boolean fits =
        kind == Kind.DECIMAL
            ? precision >= 1 && precision <= MOST_DIGITS && scale >= 0 && scale <= precision
            : precision == 0 && scale == 0;
    if (!fits) {
      throw new IllegalArgumentException(
          "Cannot use type %s(%d,%d): expected 1 to 38 digits and a scale from 0 to them for decimals, none for others"
              .formatted(kind, precision, scale));
    }
  }

  public static ColumnType of(Kind kind) {
    return new ColumnType(kind, 0, 0);
  }

  public static ColumnType decimal(int precision, int scale) {
    return new ColumnType(Kind.DECIMAL, precision, scale);
  }

  /**
   * Whether each value of this type is one of the other, and a table's column of this type can
   * become one of the other.
   */
  public boolean fitsInto(ColumnType other) {
    return equals(other)
        || kind == Kind.INT && other.kind == Kind.LONG
        || kind == Kind.FLOAT && other.kind == Kind.DOUBLE
        || kind == Kind.DECIMAL
            && other.kind == Kind.DECIMAL
            && scale == other.scale
            && precision <= other.precision;
  }

  /**
   * @param text as a table's schema writes it, such as {@code decimal(20, 0)}
   * @return empty when it is no type that a source column gets
   */
  public static Optional<ColumnType> parse(String text) {
    Matcher decimal = DECIMAL.matcher(text);
    if (decimal.matches()) {
      return Optional.of(
          decimal(Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2))));
    }
    return Arrays.stream(Kind.values())
        .filter(kind -> kind != Kind.DECIMAL && kind.tableName.equals(text))
        .findFirst()
        .map(ColumnType::of);
  }

  /** The type of the values in a row on its way to the writers. */
  public LogicalType rowType(boolean nullable) {
    return switch (kind) {
      case BOOLEAN -> new BooleanType(nullable);
      case INT -> new IntType(nullable);
      case LONG -> new BigIntType(nullable);
      case FLOAT -> new FloatType(nullable);
      case DOUBLE -> new DoubleType(nullable);
      case DECIMAL -> new DecimalType(nullable, precision, scale);
      case TEXT -> new VarCharType(nullable, VarCharType.MAX_LENGTH);
      case BINARY -> new VarBinaryType(nullable, VarBinaryType.MAX_LENGTH);
      case DATE -> new DateType(nullable);
      case TIME -> new TimeType(nullable, 3);
      case DATE_TIME -> new TimestampType(nullable, 6);
      case MOMENT -> new LocalZonedTimestampType(nullable, 6);
    };
  }

  /** The type as the table's schema writes it, such as {@code decimal(20, 0)}. */
  @Override
  public String toString() {
    return kind == Kind.DECIMAL ? "decimal(" + precision + ", " + scale + ")" : kind.tableName;
  }
}
