package io.tributary.ingest.seal;

import io.tributary.protocol.ColumnDifferences;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The bytes of a shard's differences in columns, between operators and in the sealer's state. */
public final class ColumnDifferencesFormat {
  private ColumnDifferencesFormat() {}

  public static void write(ColumnDifferences columns, DataOutput out) throws IOException {
    out.writeInt(columns.renamed().size());
    for (Map.Entry<Integer, String> column : columns.renamed().entrySet()) {
      out.writeInt(column.getKey());
      out.writeUTF(column.getValue());
    }
    write(columns.dropped(), out);
    write(columns.unfilled(), out);
  }

  private static void write(SortedSet<Integer> fields, DataOutput out) throws IOException {
    out.writeInt(fields.size());
    for (int field : fields) {
      out.writeInt(field);
    }
  }

  public static ColumnDifferences read(DataInput in) throws IOException {
    TreeMap<Integer, String> renamed = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      int field = in.readInt();
      renamed.put(field, in.readUTF());
    }
    return new ColumnDifferences(renamed, readFields(in), readFields(in));
  }

  private static SortedSet<Integer> readFields(DataInput in) throws IOException {
    TreeSet<Integer> fields = new TreeSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      fields.add(in.readInt());
    }
    return fields;
  }
}
