package io.tributary.coordinator.iceberg;

import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.ContentFileUtil;

/**
 * Reads and judges the files of committables, several at a time. It never decides what becomes of
 * the group.
 */
final class CommittableFiles {
  private final ManifestContents manifests = new ManifestContents();
  private final ExecutorService readers;
  private final LongAdder existenceRequests = new LongAdder();

  CommittableFiles(ExecutorService readers) {
    this.readers = readers;
  }

  /** How often the file system was asked whether a file exists. */
  long existenceRequests() {
    return existenceRequests.sum();
  }

  /**
   * Everything that can be known of a committable's files without its neighbours: they are what the
   * message says, lie in partitions of the group's own shards, their position deletes stay inside
   * the committable, and they exist.
   *
   * @throws RefusedFilesException when they are not
   * @throws RuntimeException when the file system does not answer
   */
  void check(
      Committable committable,
      TableState state,
      FileIO io,
      Map<Integer, PartitionSpec> specs,
      int specId) {
    List<SliceFiles> slices = new ArrayList<>();
    for (Slice slice : committable.slices()) {
      SliceFiles files = read(slice, io, specs, specId);
      compareCounts(committable, slice, files.counts());
      slices.add(files);
    }
    Set<String> own = new HashSet<>();
    slices.forEach(slice -> slice.data().forEach(file -> own.add(file.location())));
    for (SliceFiles slice : slices) {
      slice.all().forEach(file -> checkOwner(committable, state, file));
      slice.deletes().forEach(file -> checkReach(committable, own, file));
    }
    checkExistence(
        committable.group(),
        slices.stream().flatMap(SliceFiles::all).map(ContentFile::location).toList(),
        io);
  }

  /** The files of a slice, its manifests read in parallel. */
  SliceFiles read(Slice slice, FileIO io, Map<Integer, PartitionSpec> specs, int specId) {
    List<SliceFiles> parts =
        inParallel(
            slice.manifests(),
            (CommittableManifest manifest) -> manifests.of(manifest, io, specs, specId));
    return new SliceFiles(
        parts.stream().flatMap(part -> part.data().stream()).toList(),
        parts.stream().flatMap(part -> part.deletes().stream()).toList());
  }

  /**
   * @throws RefusedFilesException naming the group when one is missing
   */
  void checkExistence(GroupName group, List<String> paths, FileIO io) {
    List<Boolean> found =
        inParallel(
            paths,
            path -> {
              existenceRequests.increment();
              return io.newInputFile(path).exists();
            });
    int first = found.indexOf(false);
    if (first >= 0) {
      throw new RefusedFilesException(
          HaltCode.MISSING_FILES,
          "Cannot commit files of group %s: expected %d files, found %d; the first that is missing is %s. An orphan cleanup with too small a minimum age removes files that wait for their commit. Submit the group's job from the table."
              .formatted(
                  group,
                  paths.size(),
                  found.stream().filter(exists -> exists).count(),
                  paths.get(first)));
    }
  }

  private static void compareCounts(Committable committable, Slice slice, FileCounts found) {
    FileCounts said = slice.counts();
    if (said.dataFiles() != found.dataFiles()
        || said.dataRecords() != found.dataRecords()
        || said.equalityDeleteFiles() != found.equalityDeleteFiles()
        || said.equalityDeleteRecords() != found.equalityDeleteRecords()
        || said.positionDeleteFiles() != found.positionDeleteFiles()
        || said.positionDeleteRecords() != found.positionDeleteRecords()) {
      throw new RefusedFilesException(
          HaltCode.UNREADABLE,
          "Cannot use epoch %s of group %s: expected %s in a slice's manifests, found %s"
              .formatted(committable.epoch(), committable.group(), said, found));
    }
  }

  private static void checkOwner(Committable committable, TableState state, ContentFile<?> file) {
    ShardId shard = shardOf(file);
    GroupName owner = state.shard(shard).map(ShardState::group).orElse(null);
    if (!committable.group().equals(owner)) {
      throw new RefusedFilesException(
          HaltCode.NOT_OWNED,
          "Cannot use epoch %s of group %s: expected files of its own shards, found %s of shard %s, which belongs to %s"
              .formatted(
                  committable.epoch(),
                  committable.group(),
                  file.location(),
                  shard,
                  owner == null ? "no group" : "group " + owner));
    }
  }

  private static ShardId shardOf(ContentFile<?> file) {
    Object shard = file.partition().get(0, Object.class);
    if (!(shard instanceof Number number)) {
      throw new RefusedFilesException(
          HaltCode.UNREADABLE,
          "Cannot use file %s: expected a shard number in its partition, found %s"
              .formatted(file.location(), shard));
    }
    return new ShardId(number.intValue());
  }

  private static void checkReach(Committable committable, Set<String> own, DeleteFile file) {
    if (file.content() != FileContent.POSITION_DELETES) {
      return;
    }
    CharSequence target = ContentFileUtil.referencedDataFile(file);
    if (target != null && !own.contains(target.toString())) {
      throw new RefusedFilesException(
          HaltCode.FOREIGN_DELETES,
          "Cannot use epoch %s of group %s: expected position deletes of its own data files, found %s, which deletes rows of %s"
              .formatted(committable.epoch(), committable.group(), file.location(), target));
    }
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
        // A refusal says more than a file system that did not answer.
        if (failure == null || found instanceof RefusedFilesException) {
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
