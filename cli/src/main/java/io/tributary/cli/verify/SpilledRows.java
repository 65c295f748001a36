package io.tributary.cli.verify;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Rows cut into parts by a hash of their keys and kept in files: equal keys of two sides land in
 * parts of the same number, so that the sides can be compared a part at a time.
 */
final class SpilledRows implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final Path[] parts;

  private SpilledRows(Path[] parts) {
    this.parts = parts;
  }

  /**
   * @param folder where the files lie; must exist
   * @param count number of parts, at least 1
   */
  static SpilledRows of(RowSource rows, Path folder, int count) throws IOException, SQLException {
    Path[] parts = new Path[count];
    DataOutputStream[] outputs = new DataOutputStream[count];
    SpilledRows spilled = new SpilledRows(parts);
    try {
      for (int i = 0; i < count; i++) {
        parts[i] = Files.createTempFile(folder, "verify-", ".rows");
        outputs[i] =
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(parts[i]), BUFFER));
      }
      rows.forEach(
          row -> {
            DataOutputStream output = outputs[Math.floorMod(Arrays.hashCode(row.key()), count)];
            write(output, row.key());
            write(output, row.values());
          });
      for (DataOutputStream output : outputs) {
        output.close();
      }
      return spilled;
    } catch (IOException | SQLException | RuntimeException e) {
      for (DataOutputStream output : outputs) {
        if (output != null) {
          output.close();
        }
      }
      spilled.close();
      throw e;
    }
  }

  private static void write(DataOutputStream output, byte[] bytes) throws IOException {
    output.writeInt(bytes.length);
    output.write(bytes);
  }

  RowSource part(int index) {
    return taker -> {
      try (DataInputStream input =
          new DataInputStream(
              new BufferedInputStream(Files.newInputStream(parts[index]), BUFFER))) {
        while (true) {
          byte[] key;
          try {
            key = new byte[input.readInt()];
          } catch (EOFException end) {
            return;
          }
          input.readFully(key);
          byte[] values = new byte[input.readInt()];
          input.readFully(values);
          taker.take(new PackedRow(key, values));
        }
      }
    };
  }

  @Override
  public void close() throws IOException {
    for (Path part : parts) {
      if (part != null) {
        Files.deleteIfExists(part);
      }
    }
  }
}
