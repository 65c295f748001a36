package io.tributary.ingest.seal;

import io.tributary.ingest.source.Emptied;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.Watermark;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The bytes of the sealer's Flink state. Unsent epochs keep the bytes that go to the topic. */
public final class SealerStateCodec {
  /** The version this codec writes; it reads the one before it too. */
  public static final int VERSION = 3;

  /** Without emptied shards and without the differences of shards' columns. */
  private static final int BEFORE = 2;

  private SealerStateCodec() {}

  public static byte[] encode(SealerState state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeUTF(state.submission().toString());
      out.writeBoolean(state.chain().isPresent());
      if (state.chain().isPresent()) {
        writeChain(state.chain().get(), out);
      }
      out.writeInt(state.unsent().size());
      for (SealedEpoch entry : state.unsent()) {
        out.writeLong(entry.checkpointId());
        writeBytes(ControlMessageCodec.encode(entry.committable()), out);
      }
      out.writeInt(state.held().size());
      for (WriterResult result : state.held()) {
        WriterResultCodec.write(result, out);
      }
      out.writeInt(state.sources().size());
      for (Map.Entry<SourceId, SourceState> source : state.sources().entrySet()) {
        out.writeUTF(source.getKey().value());
        writeSource(source.getValue(), out);
      }
      out.writeInt(state.emptied().size());
      for (Emptied emptied : state.emptied()) {
        out.writeLong(emptied.checkpointId());
        out.writeInt(emptied.shards().size());
        for (ShardId shard : emptied.shards()) {
          out.writeInt(shard.value());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * @throws IOException when the bytes are no state of this version or the one before
   */
  public static SealerState decode(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int version = in.readByte();
      if (version != VERSION && version != BEFORE) {
        throw new IOException(
            "Cannot read the sealer's state: expected version %d or %d, found %d"
                .formatted(BEFORE, VERSION, version));
      }
      SubmissionId submission = SubmissionId.parse(in.readUTF());
      Optional<ChainState> chain = in.readBoolean() ? Optional.of(readChain(in)) : Optional.empty();
      List<SealedEpoch> unsent = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        long checkpointId = in.readLong();
        unsent.add(
            new SealedEpoch(checkpointId, (Committable) ControlMessageCodec.decode(readBytes(in))));
      }
      List<WriterResult> held = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        held.add(WriterResultCodec.read(in));
      }
      TreeMap<SourceId, SourceState> sources = new TreeMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        sources.put(new SourceId(in.readUTF()), readSource(in, version));
      }
      List<Emptied> emptied = version == BEFORE ? List.of() : readEmptied(in);
      return new SealerState(submission, chain, unsent, held, emptied, sources);
    }
  }

  private static List<Emptied> readEmptied(DataInput in) throws IOException {
    List<Emptied> all = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      long checkpointId = in.readLong();
      TreeSet<ShardId> shards = new TreeSet<>();
      for (int more = in.readInt(); more > 0; more--) {
        shards.add(new ShardId(in.readInt()));
      }
      all.add(new Emptied(checkpointId, shards));
    }
    return all;
  }

  private static void writeChain(ChainState chain, DataOutput out) throws IOException {
    out.writeUTF(chain.answered().toString());
    WriterResultCodec.writeLayout(chain.layout(), out);
    out.writeLong(chain.epoch().value());
    out.writeUTF(chain.chain().value());
    out.writeInt(chain.toEmpty().size());
    for (ShardId shard : chain.toEmpty()) {
      out.writeInt(shard.value());
    }
  }

  private static ChainState readChain(DataInput in) throws IOException {
    SubmissionId answered = SubmissionId.parse(in.readUTF());
    TableLayout layout = WriterResultCodec.readLayout(in);
    Epoch epoch = new Epoch(in.readLong());
    ChainHash chain = new ChainHash(in.readUTF());
    TreeSet<ShardId> toEmpty = new TreeSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      toEmpty.add(new ShardId(in.readInt()));
    }
    return new ChainState(answered, layout, epoch, chain, toEmpty);
  }

  private static void writeSource(SourceState source, DataOutput out) throws IOException {
    out.writeUTF(source.server().value());
    out.writeBoolean(source.position().isPresent());
    if (source.position().isPresent()) {
      SourcePosition position = source.position().get();
      writeText(position.file(), out);
      out.writeLong(position.position());
      writeOptionalText(position.gtidSet(), out);
      out.writeLong(position.skipEvents());
      out.writeLong(position.skipRows());
      writeOptionalText(position.serverIdentity(), out);
    }
    out.writeInt(source.shards().size());
    for (ShardProgress shard : source.shards().values()) {
      out.writeInt(shard.shard().value());
      out.writeUTF(shard.phase().wireName());
      out.writeLong(shard.watermark().map(Watermark::toEpochMicros).orElse(-1L));
      out.writeLong(shard.copiedRows());
      out.writeLong(shard.estimatedRows());
      writeOptionalText(shard.haltReason(), out);
      ColumnDifferencesFormat.write(shard.columns(), out);
    }
  }

  private static SourceState readSource(DataInput in, int version) throws IOException {
    ServerName server = new ServerName(in.readUTF());
    Optional<SourcePosition> position = Optional.empty();
    if (in.readBoolean()) {
      position =
          Optional.of(
              new SourcePosition(
                  readText(in),
                  in.readLong(),
                  readOptionalText(in),
                  in.readLong(),
                  in.readLong(),
                  readOptionalText(in)));
    }
    TreeMap<ShardId, ShardProgress> shards = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      ShardId shard = new ShardId(in.readInt());
      ShardPhase phase = ShardPhase.parse(in.readUTF());
      long watermark = in.readLong();
      shards.put(
          shard,
          new ShardProgress(
              shard,
              server,
              phase,
              watermark < 0 ? Optional.empty() : Optional.of(Watermark.ofEpochMicros(watermark)),
              in.readLong(),
              in.readLong(),
              readOptionalText(in),
              version == BEFORE ? ColumnDifferences.NONE : ColumnDifferencesFormat.read(in)));
    }
    return new SourceState(server, position, shards);
  }

  // A GTID set or a reason may be longer than writeUTF's 65,535 bytes.
  private static void writeText(String text, DataOutput out) throws IOException {
    writeBytes(text.getBytes(StandardCharsets.UTF_8), out);
  }

  private static String readText(DataInput in) throws IOException {
    return new String(readBytes(in), StandardCharsets.UTF_8);
  }

  private static void writeOptionalText(Optional<String> text, DataOutput out) throws IOException {
    out.writeBoolean(text.isPresent());
    if (text.isPresent()) {
      writeText(text.get(), out);
    }
  }

  private static Optional<String> readOptionalText(DataInput in) throws IOException {
    return in.readBoolean() ? Optional.of(readText(in)) : Optional.empty();
  }

  private static void writeBytes(byte[] bytes, DataOutput out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static byte[] readBytes(DataInput in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }
}
