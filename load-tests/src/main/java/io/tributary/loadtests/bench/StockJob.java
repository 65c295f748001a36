package io.tributary.loadtests.bench;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.source.Gate;
import io.tributary.ingest.source.ShardSource;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.ingest.table.TableStateReader;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.FlinkSink;
import org.apache.iceberg.flink.util.FlinkCompatibilityUtil;

/**
 * A job with the product's source and another end.
 *
 * @param source what to read
 * @param gate who reads
 * @param answers what opens the gate
 * @param parallelism of source and sink
 * @param checkpointInterval of the job
 */
record StockJob(
    SourceSpec source,
    Gate gate,
    TableStateReader answers,
    int parallelism,
    Duration checkpointInterval) {
  /** The operators that all rows reach. */
  static final String TO_SINK = "to sink";

  static final String NOWHERE = "nowhere: Writer";

  /** With a sink that forgets them. */
  void submitDiscarding() throws Exception {
    StreamExecutionEnvironment environment = environment();
    rows(environment)
        .sinkTo(new DiscardingSink<>())
        .name(NOWHERE.substring(0, NOWHERE.indexOf(':')))
        .setParallelism(parallelism);
    environment.execute("bench discarding");
  }

  /**
   * With Iceberg's own sink.
   *
   * @param upsert by the table's key, else every row is appended as it is
   */
  void submitSink(TableLoader table, Schema schema, boolean upsert) throws Exception {
    StreamExecutionEnvironment environment = environment();
    FlinkSink.Builder sink =
        FlinkSink.forRowData(
                rows(environment)
                    .map(upsert ? new Row() : new RowAsInsert())
                    .returns(FlinkCompatibilityUtil.toTypeInfo(FlinkSchemaUtil.convert(schema)))
                    .name(TO_SINK)
                    .setParallelism(parallelism))
            .tableLoader(table)
            .uidPrefix("bench")
            .writeParallelism(parallelism);
    if (upsert) {
      sink.equalityFieldColumns(List.copyOf(schema.identifierFieldNames())).upsert(true);
    }
    sink.append();
    environment.execute("bench sink");
  }

  private StreamExecutionEnvironment environment() {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.setParallelism(parallelism);
    environment.enableCheckpointing(checkpointInterval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
    // As the ingest job has it.
    environment
        .getCheckpointConfig()
        .setMinPauseBetweenCheckpoints(checkpointInterval.dividedBy(4).toMillis());
    return environment;
  }

  private DataStream<ShardRow> rows(StreamExecutionEnvironment environment) {
    return ShardSource.attach(environment, "source", parallelism, source, gate, answers).rows();
  }

  private static final class Row implements MapFunction<ShardRow, RowData> {
    private static final long serialVersionUID = 1L;

    @Override
    public RowData map(ShardRow row) {
      return row.row();
    }
  }

  private static final class RowAsInsert implements MapFunction<ShardRow, RowData> {
    private static final long serialVersionUID = 1L;

    @Override
    public RowData map(ShardRow row) {
      GenericRowData all = row.row();
      all.setRowKind(RowKind.INSERT);
      return all;
    }
  }
}
