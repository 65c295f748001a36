package io.tributary.ingest.source;

import io.tributary.ingest.seal.ColumnDifferencesFormat;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
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
      target.writeInt(mark.wishes().size());
      for (SchemaWish wish : mark.wishes()) {
        target.writeInt(wish.shard().value());
        PositionFormat.write(wish.position(), target);
        target.writeInt(wish.columns().size());
        for (RequestedColumn column : wish.columns()) {
          target.writeUTF(column.name());
          target.writeUTF(column.type());
          target.writeInt(column.field().orElse(-1));
        }
      }
      columns(mark, target);
      target.writeBoolean(mark.emptied().isPresent());
      if (mark.emptied().isPresent()) {
        target.writeLong(mark.emptied().get().checkpointId());
        target.writeInt(mark.emptied().get().shards().size());
        for (ShardId shard : mark.emptied().get().shards()) {
          target.writeInt(shard.value());
        }
      }
    }

    private static void columns(SourceMark mark, DataOutputView target) throws IOException {
      target.writeInt(mark.columns().size());
      for (Map.Entry<ShardId, ColumnDifferences> shard : new TreeMap<>(mark.columns()).entrySet()) {
        target.writeInt(shard.getKey().value());
        ColumnDifferencesFormat.write(shard.getValue(), target);
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
      List<SchemaWish> wishes = new ArrayList<>();
      for (int left = source.readInt(); left > 0; left--) {
        wishes.add(wish(source));
      }
      Map<ShardId, ColumnDifferences> columns = new TreeMap<>();
      for (int left = source.readInt(); left > 0; left--) {
        ShardId shard = new ShardId(source.readInt());
        columns.put(shard, ColumnDifferencesFormat.read(source));
      }
      return new SourceMark(server, position, watermark, faults, wishes, columns, emptied(source));
    }

    private static Optional<Emptied> emptied(DataInputView source) throws IOException {
      if (!source.readBoolean()) {
        return Optional.empty();
      }
      long checkpointId = source.readLong();
      TreeSet<ShardId> shards = new TreeSet<>();
      for (int left = source.readInt(); left > 0; left--) {
        shards.add(new ShardId(source.readInt()));
      }
      return Optional.of(new Emptied(checkpointId, shards));
    }

    private static SchemaWish wish(DataInputView source) throws IOException {
      ShardId shard = new ShardId(source.readInt());
      SourcePosition position = PositionFormat.read(source);
      List<RequestedColumn> columns = new ArrayList<>();
      for (int left = source.readInt(); left > 0; left--) {
        String name = source.readUTF();
        String type = source.readUTF();
        int field = source.readInt();
        columns.add(
            new RequestedColumn(name, type, field < 0 ? Optional.empty() : Optional.of(field)));
      }
      return new SchemaWish(shard, columns, position);
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
