package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.table.TableStateReader;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;

/** Attaches one source to a job. */
public final class ShardSource {
  private ShardSource() {}

  /**
   * The two streams of a source.
   *
   * @param rows in the order of the source within each row's key
   * @param marks where the source stands: at each barrier ahead of it, and in between
   */
  public record Streams(SingleOutputStreamOperator<ShardRow> rows, DataStream<SourceMark> marks) {}

  /**
   * @param environment the job
   * @param uid stable name of the source within the group's jobs, such as {@code source-mysql-1}
   * @param parallelism of the source, at least 1
   * @param spec what to read
   * @param gate which submission reads
   * @param table what the gate looks at, and whose columns the rows get
   */
  public static Streams attach(
      StreamExecutionEnvironment environment,
      String uid,
      int parallelism,
      SourceSpec spec,
      Gate gate,
      TableStateReader table) {
    if (spec.lastServerId() - spec.firstServerId() + 1 < parallelism) {
      throw new IllegalArgumentException(
          "Cannot read server %s with parallelism %d: expected as many replica ids, found %d-%d"
              .formatted(spec.server(), parallelism, spec.firstServerId(), spec.lastServerId()));
    }
    OutputTag<SourceMark> marks = new OutputTag<>("marks-" + uid, SourceMarkTypeInfo.INSTANCE);
    SingleOutputStreamOperator<ShardRow> rows =
        environment
            .fromSource(
                new CdcSource(spec, gate, table),
                WatermarkStrategy.noWatermarks(),
                uid,
                SourceElementTypeInfo.INSTANCE)
            .uid(uid)
            .setParallelism(parallelism)
            .transform(
                "position of " + spec.server(),
                ShardRowTypeInfo.INSTANCE,
                new PositionOperator(marks))
            .uid(uid + "-position")
            .setParallelism(parallelism);
    return new Streams(rows, rows.getSideOutput(marks));
  }
}
