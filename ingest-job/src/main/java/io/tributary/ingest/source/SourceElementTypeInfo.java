package io.tributary.ingest.source;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Type of {@link SourceElement}s between the reader and the position operator. */
final class SourceElementTypeInfo extends OwnTypeInfo<SourceElement> {
  static final SourceElementTypeInfo INSTANCE = new SourceElementTypeInfo();

  private SourceElementTypeInfo() {
    super(SourceElement.class, Serializer.INSTANCE);
  }

  /** Writes either form, told apart by one byte. */
  static final class Serializer extends OwnSerializer<SourceElement> {
    static final Serializer INSTANCE = new Serializer();

    @Override
    public void serialize(SourceElement element, DataOutputView target) throws IOException {
      if (element instanceof SourceElement.Row row) {
        target.writeBoolean(true);
        ShardRowTypeInfo.Serializer.INSTANCE.serialize(row.row(), target);
      } else if (element instanceof SourceElement.Standing standing) {
        target.writeBoolean(false);
        SourceMarkTypeInfo.Serializer.INSTANCE.serialize(standing.mark(), target);
      }
    }

    @Override
    public SourceElement deserialize(DataInputView source) throws IOException {
      return source.readBoolean()
          ? new SourceElement.Row(ShardRowTypeInfo.Serializer.INSTANCE.deserialize(source))
          : new SourceElement.Standing(SourceMarkTypeInfo.Serializer.INSTANCE.deserialize(source));
    }

    @Override
    public TypeSerializer<SourceElement> duplicate() {
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
    public TypeSerializerSnapshot<SourceElement> snapshotConfiguration() {
      return new Snapshot();
    }
  }

  /** Nothing to remember: the form is fixed. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<SourceElement> {
    public Snapshot() {
      super(() -> Serializer.INSTANCE);
    }
  }
}
