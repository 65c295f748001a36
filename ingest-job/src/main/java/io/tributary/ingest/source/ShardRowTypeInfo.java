package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.ShardRow.Origin;
import io.tributary.protocol.ShardId;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Type of {@link ShardRow}s in streams. A row must not be changed once it is handed over. */
public final class ShardRowTypeInfo extends OwnTypeInfo<ShardRow> {
  /** The only one. */
  public static final ShardRowTypeInfo INSTANCE = new ShardRowTypeInfo();

  private ShardRowTypeInfo() {
    super(ShardRow.class, Serializer.INSTANCE);
  }

  /** Writes rows whatever columns they have. */
  public static final class Serializer extends OwnSerializer<ShardRow> {
    static final Serializer INSTANCE = new Serializer();

    @Override
    public void serialize(ShardRow row, DataOutputView target) throws IOException {
      target.writeInt(row.shard().value());
      target.writeBoolean(row.origin() == Origin.COPY);
      target.writeLong(row.schemaFingerprint());
      RowValues.write(row.row(), target);
    }

    @Override
    public ShardRow deserialize(DataInputView source) throws IOException {
      ShardId shard = new ShardId(source.readInt());
      Origin origin = source.readBoolean() ? Origin.COPY : Origin.CHANGE;
      long schemaFingerprint = source.readLong();
      return new ShardRow(shard, origin, schemaFingerprint, RowValues.read(source));
    }

    @Override
    public TypeSerializer<ShardRow> duplicate() {
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
    public TypeSerializerSnapshot<ShardRow> snapshotConfiguration() {
      return new Snapshot();
    }
  }

  /** Nothing to remember: the form is fixed. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<ShardRow> {
    public Snapshot() {
      super(() -> Serializer.INSTANCE);
    }
  }
}
