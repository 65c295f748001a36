package io.tributary.ingest.send;

import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.source.SourceMark;
import io.tributary.ingest.source.SourceMarkTypeInfo;
import io.tributary.ingest.write.ImmutableSerializer;
import io.tributary.ingest.write.ImmutableTypeInfo;
import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The bytes of a source's report, between operators. */
public final class SourceReportSerializer extends ImmutableSerializer<SourceReport> {
  public static final SourceReportSerializer INSTANCE = new SourceReportSerializer();

  private static final TypeSerializer<SourceMark> MARK =
      SourceMarkTypeInfo.INSTANCE.createSerializer(new SerializerConfigImpl());

  /** The type of a stream of reports. */
  public static TypeInformation<SourceReport> typeInfo() {
    return new ImmutableTypeInfo<>(SourceReport.class, INSTANCE);
  }

  @Override
  public void serialize(SourceReport report, DataOutputView out) throws IOException {
    out.writeUTF(report.source().value());
    MARK.serialize(report.mark(), out);
  }

  @Override
  public SourceReport deserialize(DataInputView in) throws IOException {
    return new SourceReport(new SourceId(in.readUTF()), MARK.deserialize(in));
  }

  @Override
  public TypeSerializerSnapshot<SourceReport> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Required by Flink: reports lie in no Flink state, only between operators. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<SourceReport> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
