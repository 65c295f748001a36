package io.tributary.coordinator.core;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * One group's slices, laid into layers in order. A slice joins the layer before it unless it must
 * reach rows written earlier: equality deletes reach only lower sequence numbers, and emptied
 * partitions are emptied before the layer's files come.
 */
final class LayerStack {
  /** A layer of one group. */
  record Draft(SortedSet<ShardId> emptyShards, List<Layer.Part> parts) {}

  private final GroupName group;
  private final Protections protections;
  private final List<Draft> drafts = new ArrayList<>();

  LayerStack(GroupName group, Protections protections) {
    this.group = group;
    this.protections = protections;
  }

  List<Draft> drafts() {
    return drafts;
  }

  /**
   * @param filled whether a shard's partitions may hold rows before the epoch; others need no
   *     emptying, unless an earlier slice of the epoch brings files, which may be theirs
   * @return how many layers it opened
   */
  int add(Epoch epoch, List<Slice> slices, Predicate<ShardId> filled) {
    int before = drafts.size();
    boolean files = false;
    for (Slice slice : slices) {
      SortedSet<ShardId> empty = new TreeSet<>();
      if (protections.holds(Protection.EMPTY_BEFORE_SECOND_COPY)) {
        Predicate<ShardId> mayHoldRows = files ? any -> true : filled;
        slice.emptyShards().stream().filter(mayHoldRows).forEach(empty::add);
      }
      files |= !slice.manifests().isEmpty();
      if (empty.isEmpty() && slice.manifests().isEmpty()) {
        continue;
      }
      boolean reachesBack = !empty.isEmpty() || slice.counts().equalityDeleteFiles() > 0;
      if (drafts.isEmpty() || (reachesBack && protections.holds(Protection.SLICES_IN_ORDER))) {
        drafts.add(new Draft(new TreeSet<>(), new ArrayList<>()));
      }
      Draft draft = drafts.get(drafts.size() - 1);
      draft.emptyShards().addAll(empty);
      if (!slice.manifests().isEmpty()) {
        draft.parts().add(new Layer.Part(group, epoch, slice));
      }
    }
    return drafts.size() - before;
  }

  /** Layer i of the round holds layer i of every group. */
  static List<Layer> merge(List<LayerStack> groups) {
    int depth = groups.stream().mapToInt(stack -> stack.drafts.size()).max().orElse(0);
    List<Layer> layers = new ArrayList<>();
    for (int i = 0; i < depth; i++) {
      SortedSet<ShardId> empty = new TreeSet<>();
      List<Layer.Part> parts = new ArrayList<>();
      for (LayerStack stack : groups) {
        if (i < stack.drafts.size()) {
          empty.addAll(stack.drafts.get(i).emptyShards());
          parts.addAll(stack.drafts.get(i).parts());
        }
      }
      layers.add(new Layer(empty, parts));
    }
    return layers;
  }
}
