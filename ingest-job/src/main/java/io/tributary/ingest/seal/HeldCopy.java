package io.tributary.ingest.seal;

import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The new copy of a shard whose old rows are in the table: kept back until it is whole, so that
 * readers see the old rows or the new ones.
 *
 * @param shard its number
 * @param resync the registry's number of the copy, at least 0
 * @param steps what was written so far, in the order in which it must be applied; steps never share
 *     a slice
 */
public record HeldCopy(ShardId shard, long resync, List<Step> steps) {
  /** From so many manifests on, the small ones among them are put together. */
  static final int MANY = 16;

  /** Bytes of a manifest that is not put together with others any more. */
  static final long LARGE = 256 * 1024;

  /**
   * Files that may share a sequence number.
   *
   * @param copied whether they are copied rows alone, which many barriers' may share
   */
  public record Step(boolean copied, List<Part> parts) {
    public Step {
      parts = List.copyOf(parts);
    }
  }

  /** Files and the layout that they were written for. */
  public record Part(TableLayout layout, WrittenFiles files) {
    public Part {
      Objects.requireNonNull(layout, "layout");
      Objects.requireNonNull(files, "files");
    }

    private boolean isSmall() {
      return files.manifests().stream().allMatch(manifest -> manifest.length() < LARGE);
    }
  }

  public HeldCopy {
    Objects.requireNonNull(shard, "shard");
    steps = List.copyOf(steps);
  }

  /** A copy that begins. */
  static HeldCopy begun(ShardId shard, long resync) {
    return new HeldCopy(shard, resync, List.of());
  }

  /** Without what was written so far: a statement took all rows. */
  HeldCopy emptied() {
    return begun(shard, resync);
  }

  /** With copied rows more. They need no sequence number of their own behind others. */
  HeldCopy withCopied(List<Part> more, ShardFiles files) {
    List<Step> all = new ArrayList<>(steps);
    int last = all.size() - 1;
    if (last >= 0 && all.get(last).copied()) {
      List<Part> parts = new ArrayList<>(all.get(last).parts());
      parts.addAll(more);
      all.set(last, new Step(true, compact(parts, files)));
    } else {
      all.add(new Step(true, compact(more, files)));
    }
    return new HeldCopy(shard, resync, all);
  }

  /** With changes behind all that there is. */
  HeldCopy withChanged(List<Part> more) {
    List<Step> all = new ArrayList<>(steps);
    all.add(new Step(false, more));
    return new HeldCopy(shard, resync, all);
  }

  /** Thousands of files must neither fill Flink's state nor the message with manifests. */
  private static List<Part> compact(List<Part> parts, ShardFiles files) {
    if (parts.stream().mapToInt(part -> part.files().manifests().size()).sum() < MANY) {
      return parts;
    }
    List<Part> kept = new ArrayList<>();
    Map<Integer, List<Part>> small = new TreeMap<>();
    for (Part part : parts) {
      if (part.isSmall()) {
        small.computeIfAbsent(part.layout().schemaId(), any -> new ArrayList<>()).add(part);
      } else {
        kept.add(part);
      }
    }
    small
        .values()
        .forEach(
            same -> {
              TableLayout layout = same.get(0).layout();
              kept.add(
                  same.size() == 1
                      ? same.get(0)
                      : new Part(
                          layout, files.merge(same.stream().map(Part::files).toList(), layout)));
            });
    return kept;
  }

  /** What the step of this index holds; absent behind the last. */
  Optional<Step> step(int index) {
    return index < steps.size() ? Optional.of(steps.get(index)) : Optional.empty();
  }

  /** All files that are held. */
  public FileCounts counts() {
    return steps.stream()
        .flatMap(step -> step.parts().stream())
        .map(part -> part.files().counts())
        .reduce(FileCounts.NONE, FileCounts::plus);
  }
}
