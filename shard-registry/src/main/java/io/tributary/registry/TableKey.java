package io.tributary.registry;

import java.util.List;
import java.util.Objects;

/** Which columns identify a row within its shard. */
public sealed interface TableKey {
  /** The primary key of the source tables, read from them at start. */
  record PrimaryKey() implements TableKey {
    @Override
    public String toString() {
      return "primary key";
    }
  }

  /** Columns named in the registry, in key order. */
  record Columns(List<String> names) implements TableKey {
    /**
     * @param names at least one, no duplicates
     * @throws IllegalArgumentException when there is none or one is blank
     */
    public Columns {
      names = List.copyOf(Objects.requireNonNull(names, "names"));
      if (names.isEmpty()) {
        throw new IllegalArgumentException(
            "Cannot use a key: expected at least one column, found none");
      }
      names.forEach(name -> Checks.text("key column", name));
    }

    @Override
    public String toString() {
      return String.join(", ", names);
    }
  }
}
