package io.tributary.ingest.seal;

import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Files whose manifest is a text: what a writer did, then the shards with a file each, as {@code
 * copied/4/0@1,2}. One that names none is of shard 1.
 */
final class TextFiles implements ShardFiles {
  /** What one writer closed: a file with so many rows of each shard. */
  static WrittenFiles of(String text, long rows, long deletes, int... shards) {
    StringBuilder all = new StringBuilder(text);
    for (int i = 0; i < shards.length; i++) {
      all.append(i == 0 ? "@" : ",").append(shards[i]);
    }
    int files = Math.max(1, shards.length);
    return new WrittenFiles(
        List.of(manifest(all.toString())),
        new FileCounts(
            files, rows * files, deletes > 0 ? files : 0, deletes * files, 0, 0, 1000L * files));
  }

  private static CommittableManifest manifest(String text) {
    return CommittableManifest.Inline.of(
        ManifestContent.DATA, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(WrittenFiles files) {
    return new String(
        ((CommittableManifest.Inline) files.manifests().get(0)).bytes(), StandardCharsets.UTF_8);
  }

  @Override
  public Parts split(WrittenFiles files, TableLayout layout, Set<ShardId> shards) {
    String[] parts = text(files).split("@");
    List<Integer> all = new ArrayList<>();
    for (String shard : (parts.length > 1 ? parts[1] : "1").split(",")) {
      all.add(Integer.parseInt(shard));
    }
    long rows = files.counts().dataRecords() / all.size();
    long deletes = files.counts().equalityDeleteRecords() / all.size();
    TreeMap<ShardId, WrittenFiles> of = new TreeMap<>();
    List<Integer> others = new ArrayList<>();
    for (int shard : all) {
      if (shards.contains(new ShardId(shard))) {
        of.put(new ShardId(shard), of(parts[0], rows, deletes, shard));
      } else {
        others.add(shard);
      }
    }
    return new Parts(
        of,
        others.isEmpty()
            ? Optional.empty()
            : Optional.of(
                of(
                    parts[0],
                    rows,
                    deletes,
                    others.stream().mapToInt(Integer::intValue).toArray())));
  }

  @Override
  public WrittenFiles merge(List<WrittenFiles> files, TableLayout layout) {
    StringBuilder all = new StringBuilder();
    files.forEach(some -> all.append(all.isEmpty() ? "" : "+").append(text(some)));
    return new WrittenFiles(
        List.of(manifest(all.toString())),
        files.stream().map(WrittenFiles::counts).reduce(FileCounts.NONE, FileCounts::plus));
  }
}
