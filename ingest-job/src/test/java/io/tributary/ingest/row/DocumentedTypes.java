package io.tributary.ingest.row;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of types in {@code docs/types.md}. */
public final class DocumentedTypes {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private DocumentedTypes() {}

  /**
   * A type of the table.
   *
   * @param source as in a table's definition
   * @param table its type in the table, or {@code refused}
   */
  public record Line(String source, String table) {
    /** The type without length and attributes. */
    public String word() {
      return source.split("[ (]", 2)[0];
    }

    public boolean refused() {
      return table.equals("refused");
    }
  }

  /** All types, in the table's order. */
  public static List<Line> lines() throws IOException {
    List<Line> lines = new ArrayList<>();
    for (String text : Files.readAllLines(Path.of("..", "docs", "types.md"))) {
      if (text.startsWith("## ")) {
        break;
      }
      String[] cells = text.split("\\|");
      if (text.startsWith("| `") && cells.length >= 3) {
        Matcher sources = CODE.matcher(cells[1]);
        while (sources.find()) {
          lines.add(new Line(sources.group(1), cells[2].strip().replace("`", "")));
        }
      }
    }
    return lines;
  }
}
