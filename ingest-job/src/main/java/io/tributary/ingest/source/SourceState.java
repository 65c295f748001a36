package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
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
   * @param serverIdentity the server that is read
   * @param splits the connector's own state
   */
  record Reading(
      SubmissionId submission,
      Optional<SourcePosition> start,
      String serverIdentity,
      PendingSplitsState splits)
      implements SourceState {
    public Reading {
      Objects.requireNonNull(submission, "submission");
      Objects.requireNonNull(start, "start");
      Objects.requireNonNull(serverIdentity, "serverIdentity");
      Objects.requireNonNull(splits, "splits");
    }
  }

  /** Versioned form. */
  final class Serializer implements SimpleVersionedSerializer<SourceState> {
    private static final int VERSION = 2;
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
      if (version != VERSION) {
        throw new IOException(
            "Cannot read a source's state: expected version "
                + VERSION
                + ", found version "
                + version);
      }
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
        if (!in.readBoolean()) {
          return new Waiting();
        }
        SubmissionId submission = SubmissionId.parse(in.readUTF());
        Optional<SourcePosition> start =
            in.readBoolean() ? Optional.of(PositionFormat.read(in)) : Optional.empty();
        String serverIdentity = in.readUTF();
        int innerVersion = in.readInt();
        byte[] inner = new byte[in.readInt()];
        in.readFully(inner);
        return new Reading(
            submission, start, serverIdentity, splits.deserialize(innerVersion, inner));
      }
    }
  }
}
