package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import java.io.IOException;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.table.types.logical.RowType;

/** Type of {@link SourceElement}s between the reader and the position operator. */
final class SourceElementTypeInfo extends OwnTypeInfo<SourceElement> {
  SourceElementTypeInfo(RowType rowType) {
    super(
        SourceElement.class,
        new Serializer(
            new ShardRowTypeInfo.Serializer(
                new org.apache.flink.table.runtime.typeutils.RowDataSerializer(rowType))));
  }

  /** Writes either form, told apart by one byte. */
  static final class Serializer extends OwnSerializer<SourceElement> {
    private final TypeSerializer<ShardRow> rows;

    Serializer(TypeSerializer<ShardRow> rows) {
      this.rows = Objects.requireNonNull(rows, "rows");
    }

    @Override
    public void serialize(SourceElement element, DataOutputView target) throws IOException {
      if (element instanceof SourceElement.Row row) {
        target.writeBoolean(true);
        rows.serialize(row.row(), target);
      } else if (element instanceof SourceElement.Standing standing) {
        target.writeBoolean(false);
        SourceMarkTypeInfo.Serializer.INSTANCE.serialize(standing.mark(), target);
      }
    }

    @Override
    public SourceElement deserialize(DataInputView source) throws IOException {
      return source.readBoolean()
          ? new SourceElement.Row(rows.deserialize(source))
          : new SourceElement.Standing(SourceMarkTypeInfo.Serializer.INSTANCE.deserialize(source));
    }

    @Override
    public TypeSerializer<SourceElement> duplicate() {
      return new Serializer(rows.duplicate());
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
    public TypeSerializerSnapshot<SourceElement> snapshotConfiguration() {
      return new Snapshot(this);
    }
  }

  /** Remembers the form of the rows. */
  public static final class Snapshot
      extends CompositeTypeSerializerSnapshot<SourceElement, Serializer> {
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
    @SuppressWarnings("unchecked")
    protected Serializer createOuterSerializerWithNestedSerializers(TypeSerializer<?>[] nested) {
      return new Serializer((TypeSerializer<ShardRow>) nested[0]);
    }
  }
}
