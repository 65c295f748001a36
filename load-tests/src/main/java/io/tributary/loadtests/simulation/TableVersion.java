package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Slice;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One metadata file of the table.
 *
 * @param location no two have the same
 * @param main main's snapshot, null before the first
 * @param tag the tag's snapshot, null before the first data round
 * @param kept snapshots that were not expired
 * @param lastSequence the highest sequence number ever given
 * @param schemas the table's
 * @param stateless whether somebody removed the state, which is then only what it was
 */
record TableVersion(
    long location,
    TableUuid uuid,
    TableState state,
    Snapshot main,
    Snapshot tag,
    List<Snapshot> kept,
    long lastSequence,
    TableSchemas schemas,
    boolean stateless) {

  boolean holds(long snapshotId) {
    for (Snapshot snapshot : kept) {
      if (snapshot.id() == snapshotId) {
        return true;
      }
    }
    return false;
  }

  TableVersion at(long newLocation) {
    return new TableVersion(
        newLocation, uuid, state, main, tag, kept, lastSequence, schemas, stateless);
  }

  TableVersion withState(long newLocation, TableState next) {
    return new TableVersion(
        newLocation, uuid, next, main, tag, kept, lastSequence, schemas, stateless);
  }

  TableVersion accepted(long newLocation, TableState next) {
    return new TableVersion(
        newLocation, uuid, next, main, main, kept, lastSequence, schemas, false);
  }

  TableVersion withoutTag(long newLocation) {
    return new TableVersion(
        newLocation, uuid, state, main, null, kept, lastSequence, schemas, stateless);
  }

  /** The same table, of which nothing says any more that it is ours. */
  TableVersion withoutState(long newLocation) {
    return new TableVersion(
        newLocation, uuid, state, main, null, kept, lastSequence, schemas, true);
  }

  /** What somebody else created in the place of this one, with a snapshot of theirs. */
  TableVersion createdByOthers(long newLocation, TableUuid other, Snapshot theirs) {
    return new TableVersion(
        newLocation,
        other,
        state,
        theirs,
        null,
        List.of(theirs),
        theirs.sequence(),
        TableSchemas.first(),
        true);
  }

  /** What the table's properties say. */
  Optional<TableState> said() {
    return stateless ? Optional.empty() : Optional.of(state);
  }

  TableVersion withSchemas(TableSchemas others) {
    return new TableVersion(
        location, uuid, state, main, tag, kept, lastSequence, others, stateless);
  }

  /** The same rows in another table, with the state copied into it. */
  TableVersion replacedBy(long newLocation, TableUuid other) {
    return new TableVersion(
        newLocation, other, state, main, tag, kept, lastSequence, schemas, stateless);
  }

  /** Main's snapshots from its end to its beginning, or to where they have expired. */
  List<Snapshot> lineage() {
    List<Snapshot> lineage = new ArrayList<>();
    Snapshot at = main;
    while (at != null && holds(at.id())) {
      lineage.add(at);
      at = at.parent();
    }
    return lineage;
  }

  TableVersion withMain(long newLocation, Snapshot next) {
    List<Snapshot> all = new ArrayList<>(kept);
    if (!all.contains(next)) {
      all.add(next);
    }
    return new TableVersion(
        newLocation,
        uuid,
        state,
        next,
        tag,
        all,
        Math.max(lastSequence, next.sequence()),
        schemas,
        stateless);
  }

  TableVersion expired(long newLocation) {
    List<Snapshot> left = new ArrayList<>();
    for (Snapshot snapshot : kept) {
      if (snapshot == main || snapshot == tag) {
        left.add(snapshot);
      }
    }
    return new TableVersion(
        newLocation, uuid, state, main, tag, left, lastSequence, schemas, stateless);
  }

  /** This version with a round's layers and state. */
  TableVersion withRound(World world, RoundPlan plan) {
    Snapshot head = main;
    long sequence = lastSequence;
    List<Snapshot> all = new ArrayList<>(kept);
    for (Layer layer : plan.layers()) {
      if (!layer.emptyShards().isEmpty() && head != null) {
        head = Snapshot.emptied(head, world.nextNumber(), ++sequence, layer.emptyShards());
        all.add(head);
      }
      List<ModelFile> files = filesOf(world, layer);
      if (!files.isEmpty()) {
        head = Snapshot.with(head, world.nextNumber(), ++sequence, files);
        all.add(head);
      }
    }
    boolean data = head != main;
    boolean tagged = data && world.rules.core().holds(Protection.TAG);
    TableState next =
        plan.next()
            .built(
                data ? Optional.of(head.named()) : plan.expected().snapshot(),
                data,
                plan.next().added(),
                plan.next().removed());
    return new TableVersion(
        world.nextNumber(),
        uuid,
        next,
        head,
        tagged ? head : tag,
        all,
        sequence,
        schemas.evolved(world, plan.columns()),
        false);
  }

  static List<ModelFile> filesOf(World world, Layer layer) {
    List<ModelFile> files = new ArrayList<>();
    for (Layer.Part part : layer.parts()) {
      files.addAll(filesOf(world, part.slice()));
    }
    return files;
  }

  static List<ModelFile> filesOf(World world, Slice slice) {
    List<ModelFile> files = new ArrayList<>();
    for (CommittableManifest manifest : slice.manifests()) {
      files.add(world.files.of(manifest));
    }
    return files;
  }
}
