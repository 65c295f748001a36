package io.tributary.coordinator;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * One table's coordinator as a Flink source: Flink's checkpoints are its clock, the commit-status
 * messages its records. It keeps no state in Flink: the table is the ledger, and what an old
 * checkpoint says must not count.
 */
public final class CoordinatorSource
    implements Source<String, NoSplit, Void>, ResultTypeQueryable<String> {
  private final TableJob job;

  public CoordinatorSource(TableJob job) {
    this.job = job;
  }

  TableJob job() {
    return job;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<String, NoSplit> createReader(SourceReaderContext context) {
    return new CoordinatorReader(job, context);
  }

  @Override
  public SplitEnumerator<NoSplit, Void> createEnumerator(SplitEnumeratorContext<NoSplit> context) {
    return new NoSplit.Enumerator();
  }

  @Override
  public SplitEnumerator<NoSplit, Void> restoreEnumerator(
      SplitEnumeratorContext<NoSplit> context, Void nothing) {
    return new NoSplit.Enumerator();
  }

  @Override
  public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
    return new NoSplit.Serializer();
  }

  @Override
  public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
    return new NoSplit.NothingSerializer();
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }
}
