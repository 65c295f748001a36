package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableState;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.expressions.Expressions;

/**
 * Makes the snapshots of a round on one base, in a transaction that is never committed: nothing but
 * manifests is written, and nothing at all is deleted, whatever becomes of the swap. Left-overs of
 * a lost attempt are for orphan cleanup.
 */
final class RoundBuilder {
  private static final int MOST_GROUPS_NAMED = 20;
  private static final String ROUND = "tributary.round";

  private final String tableName;
  private final Protections protections;

  RoundBuilder(String tableName, Protections protections) {
    this.tableName = tableName;
    this.protections = protections;
  }

  /**
   * @param files of each layer, in the plan's order
   * @return the base with the plan's columns and its snapshots on main; the base itself when there
   *     is nothing to change
   */
  TableMetadata build(
      TableOperations table, TableMetadata base, RoundPlan plan, List<List<SliceFiles>> files) {
    SortedMap<Integer, String> renames = ColumnRenames.of(base, plan.renames());
    if (plan.layers().isEmpty() && plan.columns().isEmpty() && renames.isEmpty()) {
      return base;
    }
    Transaction transaction =
        Transactions.newTransaction(tableName, new FixedBase(table, base), report -> {});
    if (!renames.isEmpty()) {
      // Before columns are added: a request for the new name is met by it.
      UpdateSchema update = transaction.updateSchema();
      renames.forEach(
          (field, name) -> update.renameColumn(base.schema().findColumnName(field), name));
      update.commit();
    }
    if (!plan.columns().isEmpty()) {
      UpdateSchema update = transaction.updateSchema();
      SchemaEvolution.of(current(transaction).schema(), plan.columns(), protections)
          .applyTo(update);
      update.commit();
    }
    for (int i = 0; i < plan.layers().size(); i++) {
      Layer layer = plan.layers().get(i);
      if (!layer.emptyShards().isEmpty() && current(transaction).currentSnapshot() != null) {
        empty(transaction, plan, i);
      }
      if (!layer.parts().isEmpty()) {
        add(transaction, plan, i, files.get(i));
      }
    }
    return current(transaction);
  }

  /** Whether a round made the snapshot, as its audit trail says. */
  static boolean isOurs(org.apache.iceberg.Snapshot snapshot) {
    return snapshot.summary().containsKey(ROUND);
  }

  private static TableMetadata current(Transaction transaction) {
    return ((BaseTransaction) transaction).currentMetadata();
  }

  private void empty(Transaction transaction, RoundPlan plan, int index) {
    TableMetadata table = current(transaction);
    String shardColumn = table.schema().findColumnName(table.spec().fields().get(0).sourceId());
    List<Integer> shards =
        plan.layers().get(index).emptyShards().stream().map(ShardId::value).toList();
    DeleteFiles delete = transaction.newDelete();
    delete.deleteFromRowFilter(Expressions.in(shardColumn, shards.toArray()));
    describe(delete, plan, index);
    delete.set(
        "tributary.emptied-shards", shortList(shards.stream().map(String::valueOf).toList()));
    delete.commit();
  }

  private static void add(
      Transaction transaction, RoundPlan plan, int index, List<SliceFiles> files) {
    boolean deletes = files.stream().anyMatch(slice -> !slice.deletes().isEmpty());
    if (deletes) {
      RowDelta delta = transaction.newRowDelta();
      for (SliceFiles slice : files) {
        slice.data().forEach(delta::addRows);
        slice.deletes().forEach(delta::addDeletes);
      }
      describe(delta, plan, index);
      delta.commit();
    } else {
      // The fast one never merges manifests, whatever the table's properties say.
      AppendFiles append = transaction.newFastAppend();
      files.forEach(slice -> slice.data().forEach(append::appendFile));
      describe(append, plan, index);
      append.commit();
    }
  }

  /** A short audit trail; everything that matters is in the table's properties. */
  private static void describe(SnapshotUpdate<?> update, RoundPlan plan, int index) {
    TableState next = plan.next();
    update.set(ROUND, next.round().toString());
    update.set("tributary.term", next.term().toString());
    update.set("tributary.layer", (index + 1) + "/" + plan.layers().size());
    update.set(
        "tributary.epochs",
        shortList(
            plan.layers().get(index).parts().stream()
                .map(part -> part.group() + ":" + part.epoch())
                .distinct()
                .toList()));
  }

  private static String shortList(List<String> items) {
    String named = items.stream().limit(MOST_GROUPS_NAMED).collect(Collectors.joining(","));
    int left = items.size() - MOST_GROUPS_NAMED;
    return left > 0 ? named + ",+" + left : named;
  }

  /** What the snapshots between two states of a table's metadata removed, by their summaries. */
  static FileCounts removed(TableMetadata base, TableMetadata built) {
    FileCounts removed = FileCounts.NONE;
    for (var snapshot : built.snapshots()) {
      if (base.snapshot(snapshot.snapshotId()) == null) {
        Map<String, String> summary = snapshot.summary();
        removed =
            removed.plus(
                new FileCounts(
                    number(summary, "deleted-data-files"),
                    number(summary, "deleted-records"),
                    number(summary, "removed-equality-delete-files"),
                    number(summary, "removed-equality-deletes"),
                    number(summary, "removed-position-delete-files"),
                    number(summary, "removed-position-deletes"),
                    number(summary, "removed-files-size")));
      }
    }
    return removed;
  }

  private static long number(Map<String, String> summary, String key) {
    String value = summary.get(key);
    return value == null ? 0 : Long.parseLong(value);
  }
}
