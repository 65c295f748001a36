package io.tributary.coordinator.core;

import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.TableState;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One round, decided: the state the table must be in, the files to add in order, and the state to
 * write with them.
 *
 * @param expected the state that the swapped base must hold: round, term, owner and table are
 *     compared on the very metadata that is swapped
 * @param columns that the table must have before the first layer; those it has change nothing
 * @param renames columns that all shards have under a name that the table does not have, by field
 *     id; those that it has by then, and those whose name another column has, change nothing
 * @param layers in order; none for a round that only moves the state or adds columns
 * @param next the state to write; its snapshot and counts of removed files are filled in by whoever
 *     builds the snapshots
 */
public record RoundPlan(
    TableState expected,
    List<RequestedColumn> columns,
    SortedMap<Integer, String> renames,
    List<Layer> layers,
    TableState next) {
  /**
   * @throws IllegalArgumentException when {@code next} does not follow {@code expected}
   */
  public RoundPlan {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(next, "next");
    columns = List.copyOf(columns);
    renames = Collections.unmodifiableSortedMap(new TreeMap<>(renames));
    layers = List.copyOf(layers);
    if (!next.round().equals(expected.round().next())
        || !next.term().equals(expected.term())
        || !next.owner().equals(expected.owner())
        || !next.tableUuid().equals(expected.tableUuid())) {
      throw new IllegalArgumentException(
          "Cannot plan round %s of term %s after round %s of term %s"
              .formatted(next.round(), next.term(), expected.round(), expected.term()));
    }
  }

  /** A round that leaves the table's columns as they are. */
  public RoundPlan(TableState expected, List<Layer> layers, TableState next) {
    this(expected, List.of(), new TreeMap<>(), layers, next);
  }
}
