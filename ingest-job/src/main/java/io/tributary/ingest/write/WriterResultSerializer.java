package io.tributary.ingest.write;

import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.seal.WriterResultCodec;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Flink's view of {@link WriterResultCodec}. */
public final class WriterResultSerializer extends ImmutableSerializer<WriterResult> {
  public static final WriterResultSerializer INSTANCE = new WriterResultSerializer();

  /** The type of a stream of results. */
  public static TypeInformation<WriterResult> typeInfo() {
    return new ImmutableTypeInfo<>(WriterResult.class, INSTANCE);
  }

  @Override
  public void serialize(WriterResult result, DataOutputView out) throws IOException {
    WriterResultCodec.write(result, out);
  }

  @Override
  public WriterResult deserialize(DataInputView in) throws IOException {
    return WriterResultCodec.read(in);
  }

  @Override
  public TypeSerializerSnapshot<WriterResult> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Required by Flink: results lie in no Flink state, only between operators. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<WriterResult> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
