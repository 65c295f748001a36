package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Optional;

/** Binary form of a position, for streams and state within one job. */
final class PositionFormat {
  private PositionFormat() {}

  static void write(SourcePosition position, DataOutput out) throws IOException {
    out.writeUTF(position.file());
    out.writeLong(position.position());
    // Length and bytes: writeUTF ends at 64 KiB, and sets of long-lived servers are longer.
    byte[] set = position.gtidSet().orElse("").getBytes(java.nio.charset.StandardCharsets.UTF_8);
    out.writeBoolean(position.gtidSet().isPresent());
    out.writeInt(set.length);
    out.write(set);
    out.writeLong(position.skipEvents());
    out.writeLong(position.skipRows());
    out.writeBoolean(position.serverIdentity().isPresent());
    if (position.serverIdentity().isPresent()) {
      out.writeUTF(position.serverIdentity().get());
    }
  }

  static SourcePosition read(DataInput in) throws IOException {
    String file = in.readUTF();
    long offset = in.readLong();
    boolean hasSet = in.readBoolean();
    byte[] set = new byte[in.readInt()];
    in.readFully(set);
    Optional<String> gtidSet =
        hasSet
            ? Optional.of(new String(set, java.nio.charset.StandardCharsets.UTF_8))
            : Optional.empty();
    return new SourcePosition(
        file,
        offset,
        gtidSet,
        in.readLong(),
        in.readLong(),
        in.readBoolean() ? Optional.of(in.readUTF()) : Optional.empty());
  }
}
