package io.tributary.ingest.source;

import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.util.TreeSet;
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

  /** Writes each form behind a byte that tells them apart. */
  static final class Serializer extends OwnSerializer<SourceElement> {
    static final Serializer INSTANCE = new Serializer();
    private static final int ROW = 0;
    private static final int STANDING = 1;
    private static final int SHARDS_EMPTIED = 2;

    @Override
    public void serialize(SourceElement element, DataOutputView target) throws IOException {
      if (element instanceof SourceElement.Row row) {
        target.writeByte(ROW);
        ShardRowTypeInfo.Serializer.INSTANCE.serialize(row.row(), target);
      } else if (element instanceof SourceElement.Standing standing) {
        target.writeByte(STANDING);
        SourceMarkTypeInfo.Serializer.INSTANCE.serialize(standing.mark(), target);
      } else if (element instanceof SourceElement.ShardsEmptied emptied) {
        target.writeByte(SHARDS_EMPTIED);
        target.writeInt(emptied.shards().size());
        for (ShardId shard : emptied.shards()) {
          target.writeInt(shard.value());
        }
      }
    }

    @Override
    public SourceElement deserialize(DataInputView source) throws IOException {
      int form = source.readByte();
      return switch (form) {
        case ROW -> new SourceElement.Row(ShardRowTypeInfo.Serializer.INSTANCE.deserialize(source));
        case STANDING ->
            new SourceElement.Standing(SourceMarkTypeInfo.Serializer.INSTANCE.deserialize(source));
        case SHARDS_EMPTIED -> emptied(source);
        default ->
            throw new IOException(
                "Cannot read a source's element: expected form 0 to 2, found " + form);
      };
    }

    private static SourceElement emptied(DataInputView source) throws IOException {
      TreeSet<ShardId> shards = new TreeSet<>();
      for (int left = source.readInt(); left > 0; left--) {
        shards.add(new ShardId(source.readInt()));
      }
      return new SourceElement.ShardsEmptied(shards);
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
