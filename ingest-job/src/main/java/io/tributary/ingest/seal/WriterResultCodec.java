package io.tributary.ingest.seal;

import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableUuid;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The bytes of a writer's result, between operators and in the sealer's state. */
public final class WriterResultCodec {
  private static final int VERSION = 1;

  private WriterResultCodec() {}

  public static void write(WriterResult result, DataOutput out) throws IOException {
    out.writeByte(VERSION);
    out.writeLong(result.checkpointId());
    out.writeInt(result.subtask());
    writeLayout(result.layout(), out);
    writeFiles(result.appended(), out);
    writeFiles(result.changed(), out);
    out.writeInt(result.copiedRows().size());
    for (Map.Entry<ShardId, Long> shard : result.copiedRows().entrySet()) {
      out.writeInt(shard.getKey().value());
      out.writeLong(shard.getValue());
    }
  }

  /**
   * @throws IOException when the bytes are none of this version
   */
  public static WriterResult read(DataInput in) throws IOException {
    int version = in.readByte();
    if (version != VERSION) {
      throw new IOException(
          "Cannot read a writer's result: expected version " + VERSION + ", found " + version);
    }
    long checkpointId = in.readLong();
    int subtask = in.readInt();
    TableLayout layout = readLayout(in);
    Optional<WrittenFiles> appended = readFiles(in);
    Optional<WrittenFiles> changed = readFiles(in);
    TreeMap<ShardId, Long> copied = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      copied.put(new ShardId(in.readInt()), in.readLong());
    }
    return new WriterResult(checkpointId, subtask, layout, appended, changed, copied);
  }

  static void writeLayout(TableLayout layout, DataOutput out) throws IOException {
    out.writeUTF(layout.tableUuid().toString());
    out.writeInt(layout.schemaId());
    out.writeInt(layout.specId());
    out.writeInt(layout.formatVersion());
  }

  static TableLayout readLayout(DataInput in) throws IOException {
    return new TableLayout(TableUuid.parse(in.readUTF()), in.readInt(), in.readInt(), in.readInt());
  }

  private static void writeFiles(Optional<WrittenFiles> files, DataOutput out) throws IOException {
    out.writeBoolean(files.isPresent());
    if (files.isEmpty()) {
      return;
    }
    FileCounts counts = files.get().counts();
    out.writeLong(counts.dataFiles());
    out.writeLong(counts.dataRecords());
    out.writeLong(counts.equalityDeleteFiles());
    out.writeLong(counts.equalityDeleteRecords());
    out.writeLong(counts.positionDeleteFiles());
    out.writeLong(counts.positionDeleteRecords());
    out.writeLong(counts.bytes());
    out.writeInt(files.get().manifests().size());
    for (CommittableManifest manifest : files.get().manifests()) {
      if (!(manifest instanceof CommittableManifest.Inline inline)) {
        throw new IOException(
            "Cannot write a writer's result: expected manifests as bytes, found " + manifest);
      }
      out.writeUTF(inline.content().wireName());
      out.writeInt(inline.bytes().length);
      out.write(inline.bytes());
    }
  }

  private static Optional<WrittenFiles> readFiles(DataInput in) throws IOException {
    if (!in.readBoolean()) {
      return Optional.empty();
    }
    FileCounts counts =
        new FileCounts(
            in.readLong(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            in.readLong());
    List<CommittableManifest> manifests = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      ManifestContent content = ManifestContent.parse(in.readUTF());
      byte[] bytes = new byte[in.readInt()];
      in.readFully(bytes);
      manifests.add(CommittableManifest.Inline.of(content, bytes));
    }
    return Optional.of(new WrittenFiles(manifests, counts));
  }
}
