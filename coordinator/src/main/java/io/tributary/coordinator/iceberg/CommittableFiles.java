package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.CommittableFault;
import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.ContentFileUtil;

/**
 * Reads and judges the files of a round's committables, several at a time. It never decides what
 * becomes of a group.
 */
final class CommittableFiles {
  private final ManifestContents manifests = new ManifestContents();
  private final ExecutorService readers;
  private final Protections protections;
  private final LongAdder existenceRequests = new LongAdder();

  CommittableFiles(ExecutorService readers, Protections protections) {
    this.readers = readers;
    this.protections = protections;
  }

  /** How often the file system was asked whether a file exists. */
  long existenceRequests() {
    return existenceRequests.sum();
  }

  /**
   * A round's files.
   *
   * @param layers for each of the plan's layers the files of each of its parts
   * @param faults what is wrong, at most one for each committable; with faults the layers are not
   *     to be used
   */
  record RoundFiles(List<List<SliceFiles>> layers, List<CommittableFault> faults) {}

  private record Origin(GroupName group, Epoch epoch) {
    static Origin of(Layer.Part part) {
      return new Origin(part.group(), part.epoch());
    }
  }

  /**
   * Reads the files and checks of each committable what can be known without its neighbours: they
   * are what the message says, were written for the table's columns, lie in partitions of the
   * group's own shards, their position deletes stay inside the committable, and they exist.
   *
   * @throws RuntimeException when the file system does not answer
   */
  RoundFiles of(RoundPlan plan, TableMetadata table, FileIO io) {
    Map<Origin, CommittableFault> faults = new LinkedHashMap<>();
    Map<Origin, List<SliceFiles>> committables = new LinkedHashMap<>();
    List<List<SliceFiles>> layers = new ArrayList<>();
    readAhead(plan, table, io);
    for (Layer layer : plan.layers()) {
      List<SliceFiles> parts = new ArrayList<>();
      for (Layer.Part part : layer.parts()) {
        Origin origin = Origin.of(part);
        try {
          SliceFiles files = read(part.slice(), io, table.specsById(), table.defaultSpecId());
          compareCounts(part.slice().counts(), files.counts());
          parts.add(files);
          committables.computeIfAbsent(origin, o -> new ArrayList<>()).add(files);
        } catch (RefusedFilesException e) {
          faults.putIfAbsent(origin, fault(origin, e));
        }
      }
      layers.add(parts);
    }
    Map<Origin, List<String>> wanted = new LinkedHashMap<>();
    committables.forEach(
        (origin, slices) -> {
          try {
            check(plan, origin.group(), slices, table);
            wanted.put(
                origin,
                slices.stream().flatMap(SliceFiles::all).map(ContentFile::location).toList());
          } catch (RefusedFilesException e) {
            faults.putIfAbsent(origin, fault(origin, e));
          }
        });
    Set<String> missing = missing(wanted.values().stream().flatMap(List::stream).toList(), io);
    wanted.forEach(
        (origin, paths) ->
            absent(paths, missing)
                .ifPresent(refusal -> faults.putIfAbsent(origin, fault(origin, refusal))));
    return new RoundFiles(layers, List.copyOf(faults.values()));
  }

  private static CommittableFault fault(Origin origin, RefusedFilesException refusal) {
    return new CommittableFault(
        origin.group(), origin.epoch(), refusal.code(), refusal.getMessage());
  }

  private SliceFiles read(Slice slice, FileIO io, Map<Integer, PartitionSpec> specs, int specId) {
    List<SliceFiles> parts =
        inParallel(
            slice.manifests(),
            (CommittableManifest manifest) -> manifests.of(manifest, io, specs, specId));
    return new SliceFiles(
        parts.stream().flatMap(part -> part.data().stream()).toList(),
        parts.stream().flatMap(part -> part.deletes().stream()).toList(),
        parts.stream().flatMap(part -> part.schemas().stream()).toList());
  }

  private void check(
      RoundPlan plan, GroupName group, List<SliceFiles> slices, TableMetadata table) {
    slices.forEach(slice -> slice.schemas().forEach(schema -> checkSchema(table, schema)));
    Set<String> own = new HashSet<>();
    slices.forEach(slice -> slice.data().forEach(file -> own.add(file.location())));
    for (SliceFiles slice : slices) {
      slice.all().forEach(file -> checkOwner(plan, group, file));
      slice.deletes().forEach(file -> checkReach(own, file));
    }
  }

  private static void compareCounts(FileCounts said, FileCounts found) {
    if (said.dataFiles() != found.dataFiles()
        || said.dataRecords() != found.dataRecords()
        || said.equalityDeleteFiles() != found.equalityDeleteFiles()
        || said.equalityDeleteRecords() != found.equalityDeleteRecords()
        || said.positionDeleteFiles() != found.positionDeleteFiles()
        || said.positionDeleteRecords() != found.positionDeleteRecords()) {
      throw new RefusedFilesException(
          HaltCode.UNREADABLE, "expected %s in its manifests, found %s".formatted(said, found));
    }
  }

  private void checkSchema(TableMetadata table, Schema written) {
    if (protections.holds(Protection.FILES_OF_THE_SCHEMA)) {
      SchemaOfFiles.mismatch(written, table.schema(), table.schemas(), table.lastColumnId())
          .ifPresent(
              found -> {
                throw new RefusedFilesException(HaltCode.WRONG_LAYOUT, found);
              });
    }
  }

  private void checkOwner(RoundPlan plan, GroupName group, ContentFile<?> file) {
    if (!protections.holds(Protection.FILES_OWNED)) {
      return;
    }
    ShardId shard = shardOf(file);
    // A shard's last files before a move are its old owner's; a shard that is new with this round
    // is known to the state that the round writes.
    Optional<ShardState> state = plan.expected().shard(shard).or(() -> plan.next().shard(shard));
    if (state.isEmpty() || !state.get().group().equals(group)) {
      throw new RefusedFilesException(
          HaltCode.NOT_OWNED,
          "expected files of the group's own shards, found %s of shard %s, which belongs to %s"
              .formatted(
                  file.location(),
                  shard,
                  state.map(owner -> "group " + owner.group()).orElse("no group")));
    }
  }

  private static ShardId shardOf(ContentFile<?> file) {
    Object shard = file.partition().get(0, Object.class);
    if (!(shard instanceof Number number) || number.longValue() < 0) {
      throw new RefusedFilesException(
          HaltCode.UNREADABLE,
          "expected a shard number in the partition of file %s, found %s"
              .formatted(file.location(), shard));
    }
    return new ShardId(Math.toIntExact(number.longValue()));
  }

  private static void checkReach(Set<String> own, DeleteFile file) {
    if (file.content() != FileContent.POSITION_DELETES) {
      return;
    }
    CharSequence target = ContentFileUtil.referencedDataFile(file);
    if (target != null && !own.contains(target.toString())) {
      throw new RefusedFilesException(
          HaltCode.FOREIGN_DELETES,
          "expected position deletes of the committable's own data files, found %s, which deletes rows of %s"
              .formatted(file.location(), target));
    }
  }

  /** Those of a round's files that are not there; all groups' are asked for at once. */
  private Set<String> missing(List<String> paths, FileIO io) {
    if (!protections.holds(Protection.FILES_SEEN)) {
      return Set.of();
    }
    List<Boolean> found =
        inParallel(
            paths,
            path -> {
              existenceRequests.increment();
              try {
                return io.newInputFile(path).exists();
              } catch (NotFoundException e) {
                return false;
              }
            });
    Set<String> missing = new HashSet<>();
    for (int i = 0; i < paths.size(); i++) {
      if (!found.get(i)) {
        missing.add(paths.get(i));
      }
    }
    return missing;
  }

  private static Optional<RefusedFilesException> absent(List<String> paths, Set<String> missing) {
    List<String> absent = paths.stream().filter(missing::contains).toList();
    return absent.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new RefusedFilesException(
                HaltCode.MISSING_FILES,
                "expected %d files, found %d; the first that is missing is %s (an orphan cleanup with too small a minimum age removes files that wait for their commit)"
                    .formatted(paths.size(), paths.size() - absent.size(), absent.get(0))));
  }

  /**
   * Reads all groups' manifests at once; they are kept for when each has its turn, and what is
   * wrong with one is found again then.
   */
  private void readAhead(RoundPlan plan, TableMetadata table, FileIO io) {
    List<CommittableManifest> all =
        plan.layers().stream()
            .flatMap(layer -> layer.parts().stream())
            .flatMap(part -> part.slice().manifests().stream())
            .toList();
    inParallel(
        all,
        manifest -> {
          try {
            return manifests.of(manifest, io, table.specsById(), table.defaultSpecId());
          } catch (RefusedFilesException e) {
            return e;
          }
        });
  }

  private <T, R> List<R> inParallel(List<T> items, Function<T, R> task) {
    if (items.size() < 2) {
      return items.stream().map(task).toList();
    }
    List<CompletableFuture<R>> running =
        items.stream()
            .map(item -> CompletableFuture.supplyAsync(() -> task.apply(item), readers))
            .toList();
    List<R> results = new ArrayList<>();
    RuntimeException failure = null;
    for (CompletableFuture<R> result : running) {
      try {
        results.add(result.join());
      } catch (CompletionException e) {
        RuntimeException found =
            e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        // A file system that does not answer is no proof of anything: tried again as a whole.
        if (failure == null || failure instanceof RefusedFilesException) {
          failure = found;
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }
}
