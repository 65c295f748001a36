package io.tributary.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lines of columns, each as wide as its widest cell; numbers to the right. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... head) {
    rows.add(Arrays.asList(head));
  }

  /**
   * @param cells as many as the head has
   */
  TextTable row(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "Cannot add a row: expected %d cells, found %d"
              .formatted(rows.get(0).size(), cells.length));
    }
    rows.add(Arrays.asList(cells));
    return this;
  }

  List<String> lines() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    boolean[] numbers = new boolean[columns];
    Arrays.fill(numbers, rows.size() > 1);
    for (int r = 0; r < rows.size(); r++) {
      for (int c = 0; c < columns; c++) {
        String cell = rows.get(r).get(c);
        widths[c] = Math.max(widths[c], cell.length());
        if (r > 0 && !cell.matches("[-0-9.,]*( ?(%|ms|s|min|h))?")) {
          numbers[c] = false;
        }
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        String pad = " ".repeat(widths[c] - row.get(c).length());
        line.append(c == 0 ? "" : GAP).append(numbers[c] ? pad + row.get(c) : row.get(c) + pad);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
