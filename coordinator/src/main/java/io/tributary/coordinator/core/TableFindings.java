package io.tributary.coordinator.core;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Everything that is known of a table, its topics and its past, for the operator's decision about
 * it.
 *
 * @param tableUuid of the metadata that was read
 * @param main where main ends; absent without any data
 * @param recorded the state in the table's properties; absent when it has none
 * @param problem why the coordinator must not touch the table, as far as the table alone tells
 * @param fitting the newest state that belongs to main's newest snapshot of ours; absent when none
 *     is known
 * @param foreign the snapshots between that one and main that no round ended with, oldest first;
 *     all that can still be seen when no state fits
 * @param known every other state of the table that can still be read
 * @param announced the last message on the commit-status topic
 */
public record TableFindings(
    TableName table,
    TableUuid tableUuid,
    Optional<IcebergSnapshot> main,
    Optional<TableState> recorded,
    Optional<LedgerProblem> problem,
    Optional<TableState> fitting,
    List<ForeignSnapshot> foreign,
    List<TableState> known,
    Optional<CommitStatus> announced,
    ControlRecords control) {

  /**
   * A snapshot of main that no round of the table's state explains.
   *
   * @param operation Iceberg's word: append, overwrite, delete, replace
   * @param addedRows rows in the data files that it added, as its summary says
   * @param shards whose rows it changes, none when it only rewrites files; absent when that cannot
   *     be told
   */
  public record ForeignSnapshot(
      long id, String operation, long addedRows, Optional<SortedSet<ShardId>> shards) {
    public ForeignSnapshot {
      Objects.requireNonNull(operation, "operation");
      shards = shards.map(found -> Collections.unmodifiableSortedSet(new TreeSet<>(found)));
    }

    @Override
    public String toString() {
      return "snapshot %d (%s, %d rows added, %s)"
          .formatted(
              id,
              operation,
              addedRows,
              shards
                  .map(found -> found.isEmpty() ? "changes no rows" : "changes shards " + found)
                  .orElse("changes shards that cannot be told"));
    }
  }

  /**
   * What the control topic holds.
   *
   * @param first the offset of its first record that is kept
   * @param end the offset that its next record will get
   * @param groups every group that has a record there
   */
  public record ControlRecords(long first, long end, SortedMap<GroupName, Heard> groups) {
    public ControlRecords {
      groups = Collections.unmodifiableSortedMap(new TreeMap<>(groups));
    }

    public static ControlRecords of(long first, long end, Map<GroupName, Heard> groups) {
      return new ControlRecords(first, end, new TreeMap<>(groups));
    }
  }

  /**
   * The highest numbers that a group uses on the control topic.
   *
   * @param incarnation 0 when none was found
   * @param epoch 0 when only hellos were found
   */
  public record Heard(long incarnation, long epoch) {
    /** The higher ones of both. */
    public Heard and(Heard other) {
      return new Heard(Math.max(incarnation, other.incarnation), Math.max(epoch, other.epoch));
    }
  }

  /**
   * Which state belongs to main's rows.
   *
   * @param lineage main's snapshots as far as they are known, from its end to its beginning
   * @param states that are known, the newest first
   */
  public static Optional<TableState> fitting(List<Long> lineage, List<TableState> states) {
    if (lineage.isEmpty()) {
      return states.stream().filter(state -> state.snapshot().isEmpty()).findFirst();
    }
    for (long snapshot : lineage) {
      Optional<TableState> fits =
          states.stream()
              .filter(state -> state.snapshot().filter(s -> s.id() == snapshot).isPresent())
              .findFirst();
      if (fits.isPresent()) {
        return fits;
      }
    }
    return Optional.empty();
  }

  public TableFindings {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(tableUuid, "tableUuid");
    Objects.requireNonNull(main, "main");
    Objects.requireNonNull(recorded, "recorded");
    Objects.requireNonNull(problem, "problem");
    Objects.requireNonNull(fitting, "fitting");
    Objects.requireNonNull(announced, "announced");
    Objects.requireNonNull(control, "control");
    foreign = List.copyOf(foreign);
    known = List.copyOf(known);
  }
}
