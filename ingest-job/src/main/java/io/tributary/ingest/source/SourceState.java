package io.tributary.ingest.source;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.PendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.PendingSplitsStateSerializer;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplitSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** What the enumerator keeps in Flink's checkpoints. */
sealed interface SourceState {
  /** The gate has not opened yet; a restart decides anew where to begin. */
  record Waiting() implements SourceState {}

  /**
   * Reading began.
   *
   * @param submission the submission that began it or went on with it
   * @param start the position it began with; absent when it began with an initial snapshot
   * @param ends of shards whose rows end behind that
   * @param serverIdentity the server that is read
   * @param splits the connector's own state
   */
  record Reading(
      SubmissionId submission,
      Optional<SourcePosition> start,
      SortedMap<ShardId, SourcePosition> ends,
      String serverIdentity,
      PendingSplitsState splits)
      implements SourceState {
    public Reading {
      Objects.requireNonNull(submission, "submission");
      Objects.requireNonNull(start, "start");
      Objects.requireNonNull(serverIdentity, "serverIdentity");
      Objects.requireNonNull(splits, "splits");
      ends = Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, SourcePosition>) ends));
    }
  }

  /** Versioned form. */
  final class Serializer implements SimpleVersionedSerializer<SourceState> {
    private static final int VERSION = 3;

    /** Without the shards' own ends. */
    private static final int VERSION_WITHOUT_ENDS = 2;

    private final PendingSplitsStateSerializer splits =
        new PendingSplitsStateSerializer(MySqlSplitSerializer.INSTANCE);

    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(SourceState state) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.writeBoolean(state instanceof Reading);
        if (state instanceof Reading reading) {
          out.writeUTF(reading.submission().toString());
          out.writeBoolean(reading.start().isPresent());
          if (reading.start().isPresent()) {
            PositionFormat.write(reading.start().get(), out);
          }
          out.writeInt(reading.ends().size());
          for (Map.Entry<ShardId, SourcePosition> end : reading.ends().entrySet()) {
            out.writeInt(end.getKey().value());
            PositionFormat.write(end.getValue(), out);
          }
          out.writeUTF(reading.serverIdentity());
          byte[] inner = splits.serialize(reading.splits());
          out.writeInt(splits.getVersion());
          out.writeInt(inner.length);
          out.write(inner);
        }
      }
      return bytes.toByteArray();
    }

    @Override
    public SourceState deserialize(int version, byte[] serialized) throws IOException {
      if (version != VERSION && version != VERSION_WITHOUT_ENDS) {
        throw new IOException(
            "Cannot read a source's state: expected version %d or %d, found version %d"
                .formatted(VERSION_WITHOUT_ENDS, VERSION, version));
      }
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
        if (!in.readBoolean()) {
          return new Waiting();
        }
        SubmissionId submission = SubmissionId.parse(in.readUTF());
        Optional<SourcePosition> start =
            in.readBoolean() ? Optional.of(PositionFormat.read(in)) : Optional.empty();
        SortedMap<ShardId, SourcePosition> ends = new TreeMap<>();
        for (int left = version == VERSION_WITHOUT_ENDS ? 0 : in.readInt(); left > 0; left--) {
          ends.put(new ShardId(in.readInt()), PositionFormat.read(in));
        }
        String serverIdentity = in.readUTF();
        int innerVersion = in.readInt();
        byte[] inner = new byte[in.readInt()];
        in.readFully(inner);
        return new Reading(
            submission, start, ends, serverIdentity, splits.deserialize(innerVersion, inner));
      }
    }
  }
}
