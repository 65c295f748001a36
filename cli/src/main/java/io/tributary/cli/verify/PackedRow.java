package io.tributary.cli.verify;

import java.util.Arrays;
import java.util.List;

/**
 * A row of either side in canonical text.
 *
 * @param key the packed texts of the key columns
 * @param values the packed texts of all columns
 */
record PackedRow(byte[] key, byte[] values) {
  /**
   * @param texts of all columns, in their common order
   * @param keyIndexes places of the key columns among them
   */
  static PackedRow of(List<String> texts, int[] keyIndexes) {
    String[] key = new String[keyIndexes.length];
    for (int i = 0; i < key.length; i++) {
      key[i] = texts.get(keyIndexes[i]);
    }
    return new PackedRow(RowText.pack(Arrays.asList(key)), RowText.pack(texts));
  }

  boolean sameValues(PackedRow other) {
    return Arrays.equals(values, other.values);
  }
}
