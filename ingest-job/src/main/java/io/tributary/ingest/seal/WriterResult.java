package io.tributary.ingest.seal;

import io.tributary.protocol.ShardId;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one writer closed at one checkpoint barrier. A writer without rows says nothing; one that
 * closed files before the barrier, since the table got columns, says each time what it closed, in
 * order.
 *
 * @param checkpointId Flink's id of the checkpoint, or {@link #END_OF_INPUT}
 * @param subtask the writer's index, at least 0
 * @param layout the table's layout the files were written for
 * @param appended files of copied rows: plain appends
 * @param changed files of changes: rows and deletes
 * @param copiedRows copied rows per shard
 */
public record WriterResult(
    long checkpointId,
    int subtask,
    TableLayout layout,
    Optional<WrittenFiles> appended,
    Optional<WrittenFiles> changed,
    SortedMap<ShardId, Long> copiedRows) {
  /** Stands for the checkpoint of what a writer closed because no more rows will come. */
  public static final long END_OF_INPUT = Long.MAX_VALUE;

  /** The same files, of another barrier. */
  public WriterResult at(long otherCheckpointId) {
    return new WriterResult(otherCheckpointId, subtask, layout, appended, changed, copiedRows);
  }

  /**
   * @throws IllegalArgumentException when there are no files, or copied rows and appended files
   *     contradict each other
   */
  public WriterResult {
    Objects.requireNonNull(layout, "layout");
    Objects.requireNonNull(appended, "appended");
    Objects.requireNonNull(changed, "changed");
    copiedRows = Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, Long>) copiedRows));
    if (appended.isEmpty() && changed.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot hand over the result of writer " + subtask + ": expected files, found none");
    }
    long rows = copiedRows.values().stream().mapToLong(Long::longValue).sum();
    long inFiles = appended.map(files -> files.counts().dataRecords()).orElse(0L);
    if (rows != inFiles || appended.filter(files -> files.counts().hasDeletes()).isPresent()) {
      throw new IllegalArgumentException(
          "Cannot hand over the result of writer %d: expected %d copied rows and no deletes, found files with %s"
              .formatted(subtask, rows, appended.map(WrittenFiles::counts)));
    }
  }
}
