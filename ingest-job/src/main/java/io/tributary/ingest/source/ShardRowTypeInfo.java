package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.ShardRow.Origin;
import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

/** Type of {@link ShardRow}s in streams. A row must not be changed once it is handed over. */
public final class ShardRowTypeInfo extends OwnTypeInfo<ShardRow> {
  public ShardRowTypeInfo(RowType rowType) {
    super(ShardRow.class, new Serializer(new RowDataSerializer(rowType)));
  }

  /** Writes rows in Flink's own binary row form. */
  public static final class Serializer extends OwnSerializer<ShardRow> {
    private final RowDataSerializer rows;

    Serializer(RowDataSerializer rows) {
      this.rows = Objects.requireNonNull(rows, "rows");
    }

    @Override
    public void serialize(ShardRow row, DataOutputView target) throws IOException {
      target.writeInt(row.shard().value());
      target.writeBoolean(row.origin() == Origin.COPY);
      rows.serialize(row.row(), target);
    }

    @Override
    public ShardRow deserialize(DataInputView source) throws IOException {
      ShardId shard = new ShardId(source.readInt());
      Origin origin = source.readBoolean() ? Origin.COPY : Origin.CHANGE;
      return new ShardRow(shard, origin, rows.deserialize(source));
    }

    @Override
    public TypeSerializer<ShardRow> duplicate() {
      return new Serializer((RowDataSerializer) rows.duplicate());
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Serializer serializer && serializer.rows.equals(rows);
    }

    @Override
    public int hashCode() {
      return rows.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<ShardRow> snapshotConfiguration() {
      return new Snapshot(this);
    }
  }

  /** Remembers the form of the rows. */
  public static final class Snapshot extends CompositeTypeSerializerSnapshot<ShardRow, Serializer> {
    /** For reading a snapshot. */
    public Snapshot() {}

    Snapshot(Serializer serializer) {
      super(serializer);
    }

    @Override
    protected int getCurrentOuterSnapshotVersion() {
      return 1;
    }

    @Override
    protected TypeSerializer<?>[] getNestedSerializers(Serializer outer) {
      return new TypeSerializer<?>[] {outer.rows};
    }

    @Override
    protected Serializer createOuterSerializerWithNestedSerializers(TypeSerializer<?>[] nested) {
      return new Serializer((RowDataSerializer) nested[0]);
    }
  }
}
