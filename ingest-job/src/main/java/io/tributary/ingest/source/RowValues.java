package io.tributary.ingest.source;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.types.RowKind;

/**
 * The bytes of a row, each value with what it is. A row's columns may change while the job runs,
 * and Flink's own form of rows is fixed when a job is built.
 */
final class RowValues {
  private static final int NULL = 0;
  private static final int INT = 1;
  private static final int LONG = 2;
  private static final int TEXT = 3;
  private static final int DECIMAL = 4;
  private static final int WIDE_DECIMAL = 5;
  private static final int TIMESTAMP = 6;
  private static final int DOUBLE = 7;
  private static final int FLOAT = 8;
  private static final int BOOLEAN = 9;
  private static final int BYTES = 10;

  private RowValues() {}

  static void write(GenericRowData row, DataOutputView out) throws IOException {
    out.writeByte(row.getRowKind().toByteValue());
    int fields = row.getArity();
    out.writeShort(fields);
    for (int i = 0; i < fields; i++) {
      write(row.getField(i), out);
    }
  }

  private static void write(Object value, DataOutputView out) throws IOException {
    if (value == null) {
      out.writeByte(NULL);
    } else if (value instanceof Integer number) {
      out.writeByte(INT);
      out.writeInt(number);
    } else if (value instanceof Long number) {
      out.writeByte(LONG);
      out.writeLong(number);
    } else if (value instanceof StringData text) {
      out.writeByte(TEXT);
      writeBytes(text.toBytes(), out);
    } else if (value instanceof DecimalData decimal) {
      writeDecimal(decimal, out);
    } else if (value instanceof TimestampData time) {
      out.writeByte(TIMESTAMP);
      out.writeLong(time.getMillisecond());
      out.writeInt(time.getNanoOfMillisecond());
    } else if (value instanceof Double number) {
      out.writeByte(DOUBLE);
      out.writeDouble(number);
    } else if (value instanceof Float number) {
      out.writeByte(FLOAT);
      out.writeFloat(number);
    } else if (value instanceof Boolean flag) {
      out.writeByte(BOOLEAN);
      out.writeBoolean(flag);
    } else if (value instanceof byte[] bytes) {
      out.writeByte(BYTES);
      writeBytes(bytes, out);
    } else {
      throw new IllegalArgumentException(
          "Cannot pass on a row: expected values of the table's types, found one of "
              + value.getClass().getName());
    }
  }

  private static void writeDecimal(DecimalData decimal, DataOutputView out) throws IOException {
    boolean compact = decimal.isCompact();
    out.writeByte(compact ? DECIMAL : WIDE_DECIMAL);
    out.writeByte(decimal.precision());
    out.writeByte(decimal.scale());
    if (compact) {
      out.writeLong(decimal.toUnscaledLong());
    } else {
      writeBytes(decimal.toUnscaledBytes(), out);
    }
  }

  private static void writeBytes(byte[] bytes, DataOutputView out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static GenericRowData read(DataInputView in) throws IOException {
    RowKind kind = RowKind.fromByteValue(in.readByte());
    int fields = in.readShort();
    GenericRowData row = new GenericRowData(kind, fields);
    for (int i = 0; i < fields; i++) {
      row.setField(i, value(in));
    }
    return row;
  }

  private static Object value(DataInputView in) throws IOException {
    int form = in.readByte();
    return switch (form) {
      case NULL -> null;
      case INT -> in.readInt();
      case LONG -> in.readLong();
      case TEXT -> BinaryStringData.fromBytes(bytes(in));
      case DECIMAL -> {
        int precision = in.readByte();
        int scale = in.readByte();
        yield DecimalData.fromUnscaledLong(in.readLong(), precision, scale);
      }
      case WIDE_DECIMAL -> {
        int precision = in.readByte();
        int scale = in.readByte();
        yield DecimalData.fromUnscaledBytes(bytes(in), precision, scale);
      }
      case TIMESTAMP -> TimestampData.fromEpochMillis(in.readLong(), in.readInt());
      case DOUBLE -> in.readDouble();
      case FLOAT -> in.readFloat();
      case BOOLEAN -> in.readBoolean();
      case BYTES -> bytes(in);
      default -> throw new IOException("Cannot read a row: expected a known form, found " + form);
    };
  }

  private static byte[] bytes(DataInputView in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }
}
