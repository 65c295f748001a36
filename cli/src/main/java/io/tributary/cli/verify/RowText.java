package io.tributary.cli.verify;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Packs canonical texts into one array, so that many rows fit in memory and compare fast. */
final class RowText {
  private static final int NULL = -1;

  private RowText() {}

  /**
   * @param texts may hold nulls
   */
  static byte[] pack(List<String> texts) {
    byte[][] parts = new byte[texts.size()][];
    int size = 0;
    for (int i = 0; i < parts.length; i++) {
      String text = texts.get(i);
      parts[i] = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
      size += Integer.BYTES + (parts[i] == null ? 0 : parts[i].length);
    }
    ByteBuffer packed = ByteBuffer.allocate(size);
    for (byte[] part : parts) {
      packed.putInt(part == null ? NULL : part.length);
      if (part != null) {
        packed.put(part);
      }
    }
    return packed.array();
  }

  static List<String> unpack(byte[] packed) {
    ByteBuffer buffer = ByteBuffer.wrap(packed);
    List<String> texts = new ArrayList<>();
    while (buffer.hasRemaining()) {
      int length = buffer.getInt();
      if (length == NULL) {
        texts.add(null);
      } else {
        byte[] part = new byte[length];
        buffer.get(part);
        texts.add(new String(part, StandardCharsets.UTF_8));
      }
    }
    return texts;
  }
}
