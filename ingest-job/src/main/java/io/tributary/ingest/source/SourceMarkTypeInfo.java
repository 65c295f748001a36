package io.tributary.ingest.source;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Type of {@link SourceMark}s in streams. */
public final class SourceMarkTypeInfo extends OwnTypeInfo<SourceMark> {
  /** The only one. */
  public static final SourceMarkTypeInfo INSTANCE = new SourceMarkTypeInfo();

  private SourceMarkTypeInfo() {
    super(SourceMark.class, Serializer.INSTANCE);
  }

  /** Writes marks. */
  public static final class Serializer extends OwnSerializer<SourceMark> {
    static final Serializer INSTANCE = new Serializer();

    @Override
    public void serialize(SourceMark mark, DataOutputView target) throws IOException {
      target.writeUTF(mark.server().value());
      target.writeBoolean(mark.position().isPresent());
      if (mark.position().isPresent()) {
        PositionFormat.write(mark.position().get(), target);
      }
      target.writeLong(mark.watermark().map(Watermark::toEpochMicros).orElse(-1L));
      target.writeInt(mark.faults().size());
      for (Map.Entry<ShardId, String> fault : new TreeMap<>(mark.faults()).entrySet()) {
        target.writeInt(fault.getKey().value());
        target.writeUTF(fault.getValue());
      }
    }

    @Override
    public SourceMark deserialize(DataInputView source) throws IOException {
      ServerName server = new ServerName(source.readUTF());
      Optional<SourcePosition> position =
          source.readBoolean() ? Optional.of(PositionFormat.read(source)) : Optional.empty();
      long micros = source.readLong();
      Optional<Watermark> watermark =
          micros < 0 ? Optional.empty() : Optional.of(Watermark.ofEpochMicros(micros));
      Map<ShardId, String> faults = new TreeMap<>();
      int count = source.readInt();
      for (int i = 0; i < count; i++) {
        ShardId shard = new ShardId(source.readInt());
        faults.put(shard, source.readUTF());
      }
      return new SourceMark(server, position, watermark, faults);
    }

    @Override
    public TypeSerializer<SourceMark> duplicate() {
      return this;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Serializer;
    }

    @Override
    public int hashCode() {
      return Serializer.class.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<SourceMark> snapshotConfiguration() {
      return new Snapshot();
    }
  }

  /** Nothing to remember: the form is fixed. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<SourceMark> {
    public Snapshot() {
      super(() -> Serializer.INSTANCE);
    }
  }
}
