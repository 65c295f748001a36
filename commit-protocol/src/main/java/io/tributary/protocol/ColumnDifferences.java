package io.tributary.protocol;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the columns of a shard differ in from those of the table, as its reader last compared them.
 * Columns of the table are named by their field ids, which outlive their names.
 *
 * @param renamed by the field that a column is written to, the name that it has at the source; only
 *     where that is another one than the table's
 * @param dropped fields of the table whose column the shard had, and dropped; a shard that never
 *     had one does not name it
 * @param unfilled fields whose values in the shard's old rows the table does not have: the column
 *     came with a value for them, and no row event said so
 */
public record ColumnDifferences(
    SortedMap<Integer, String> renamed, SortedSet<Integer> dropped, SortedSet<Integer> unfilled) {
  /** A shard that has the table's columns, as nearly all have. */
  public static final ColumnDifferences NONE =
      new ColumnDifferences(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());

  /**
   * @throws IllegalArgumentException when a field id is below 1, a name is empty, or a field is
   *     renamed and dropped
   */
  public ColumnDifferences {
    renamed = Collections.unmodifiableSortedMap(new TreeMap<>((Map<Integer, String>) renamed));
    dropped = Collections.unmodifiableSortedSet(new TreeSet<>(dropped));
    unfilled = Collections.unmodifiableSortedSet(new TreeSet<>(unfilled));
    for (Integer field : renamed.keySet()) {
      if (dropped.contains(field)) {
        throw new IllegalArgumentException(
            "Cannot use differences of columns: expected field %d renamed or dropped, found both"
                .formatted(field));
      }
    }
    if (renamed.values().stream().anyMatch(String::isEmpty)
        || !renamed.isEmpty() && renamed.firstKey() < 1
        || !dropped.isEmpty() && dropped.first() < 1
        || !unfilled.isEmpty() && unfilled.first() < 1) {
      throw new IllegalArgumentException(
          "Cannot use differences of columns: expected field ids of at least 1 and names, found renamed %s, dropped %s, unfilled %s"
              .formatted(renamed, dropped, unfilled));
    }
  }

  /** Only renamed columns. */
  public static ColumnDifferences renamed(Map<Integer, String> renamed) {
    return new ColumnDifferences(new TreeMap<>(renamed), new TreeSet<>(), new TreeSet<>());
  }

  public boolean isEmpty() {
    return renamed.isEmpty() && dropped.isEmpty() && unfilled.isEmpty();
  }

  /**
   * What is left of them once the table has these columns.
   *
   * @param names the table's columns by field id
   */
  public ColumnDifferences against(Map<Integer, String> names) {
    Objects.requireNonNull(names, "names");
    TreeMap<Integer, String> other = new TreeMap<>(renamed);
    other
        .entrySet()
        .removeIf(e -> e.getValue().equals(names.getOrDefault(e.getKey(), e.getValue())));
    TreeSet<Integer> gone = new TreeSet<>(dropped);
    gone.retainAll(names.keySet());
    TreeSet<Integer> old = new TreeSet<>(unfilled);
    old.retainAll(names.keySet());
    ColumnDifferences left = new ColumnDifferences(other, gone, old);
    return left.equals(this) ? this : left;
  }
}
