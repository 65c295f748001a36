package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.expressions.Expression;
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
      List<SliceFiles> left = files.get(i);
      if (!layer.emptyShards().isEmpty() && current(transaction).currentSnapshot() != null) {
        List<SliceFiles> copies = copies(plan, i, files.get(i));
        left = files.get(i).stream().filter(slice -> !copies.contains(slice)).toList();
        empty(transaction, plan, i, copies);
      }
      if (!left.isEmpty()) {
        add(transaction, plan, i, left);
      }
    }
    return current(transaction);
  }

  /**
   * What may come in the very snapshot that empties shards, which can delete no rows by key: the
   * slices of the shards' groups, where none of the group's deletes. Whoever reads that snapshot
   * sees the new copy, and never an emptied shard.
   */
  private static List<SliceFiles> copies(RoundPlan plan, int index, List<SliceFiles> files) {
    Layer layer = plan.layers().get(index);
    Set<GroupName> groups = new HashSet<>();
    layer
        .emptyShards()
        .forEach(shard -> plan.next().shard(shard).ifPresent(state -> groups.add(state.group())));
    for (int part = 0; part < files.size(); part++) {
      if (!files.get(part).deletes().isEmpty()) {
        groups.remove(layer.parts().get(part).group());
      }
    }
    List<SliceFiles> copies = new ArrayList<>();
    for (int part = 0; part < files.size(); part++) {
      if (groups.contains(layer.parts().get(part).group())) {
        copies.add(files.get(part));
      }
    }
    return copies;
  }

  /** Whether a round made the snapshot, as its audit trail says. */
  static boolean isOurs(org.apache.iceberg.Snapshot snapshot) {
    return snapshot.summary().containsKey(ROUND);
  }

  private static TableMetadata current(Transaction transaction) {
    return ((BaseTransaction) transaction).currentMetadata();
  }

  private void empty(Transaction transaction, RoundPlan plan, int index, List<SliceFiles> copies) {
    TableMetadata table = current(transaction);
    String shardColumn = table.schema().findColumnName(table.spec().fields().get(0).sourceId());
    List<Integer> shards =
        plan.layers().get(index).emptyShards().stream().map(ShardId::value).toList();
    Expression rows = Expressions.in(shardColumn, shards.toArray());
    SnapshotUpdate<?> update;
    if (copies.isEmpty()) {
      update = transaction.newDelete().deleteFromRowFilter(rows);
    } else {
      OverwriteFiles overwrite = transaction.newOverwrite().overwriteByRowFilter(rows);
      copies.forEach(slice -> slice.data().forEach(overwrite::addFile));
      update = overwrite;
    }
    describe(update, plan, index);
    update.set(
        "tributary.emptied-shards", shortList(shards.stream().map(String::valueOf).toList()));
    update.commit();
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
