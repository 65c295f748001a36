package io.tributary.cli.plan;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is known of a table when an edit is planned. */
public sealed interface TableFacts {
  /** Nobody asked. */
  record Unlooked() implements TableFacts {
    @Override
    public String toString() {
      return "not looked at";
    }
  }

  /** The catalog has no such table. */
  record Absent() implements TableFacts {
    @Override
    public String toString() {
      return "not there yet";
    }
  }

  /** A table without a coordinator's state. */
  record Foreign(Shape shape) implements TableFacts {
    @Override
    public String toString() {
      return "there, and made by somebody else";
    }
  }

  /** A table that a coordinator has made or adopted. */
  record Ours(Shape shape, TableState state) implements TableFacts {
    @Override
    public String toString() {
      return "as of its round " + state.round();
    }
  }

  /**
   * How the table is laid out.
   *
   * @param key names of its identifier fields, the shard column among them
   * @param partitionFields as people write them, in order
   * @param columns types by name, in Iceberg's words
   */
  record Shape(
      SortedSet<String> key, List<String> partitionFields, SortedMap<String, String> columns) {
    public Shape {
      key = Collections.unmodifiableSortedSet(new TreeSet<>(key));
      partitionFields = List.copyOf(partitionFields);
      columns = Collections.unmodifiableSortedMap(new TreeMap<>(columns));
      Objects.requireNonNull(key, "key");
    }
  }

  /** What the table remembers; absent when it is not ours, or was not looked at. */
  default Optional<TableState> ledger() {
    return this instanceof Ours ours ? Optional.of(ours.state()) : Optional.empty();
  }

  default Optional<Shape> laidOut() {
    if (this instanceof Ours ours) {
      return Optional.of(ours.shape());
    }
    return this instanceof Foreign foreign ? Optional.of(foreign.shape()) : Optional.empty();
  }

  /** What the table remembers of the shard. */
  default Optional<ShardState> shard(ShardId id) {
    return ledger().flatMap(state -> state.shard(id));
  }
}
