package io.tributary.localstack.testjob;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Counts slowly and without end, with a checkpoint each half second. */
public final class CountingJob {

  private CountingJob() {}

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.enableCheckpointing(500);
    env.fromSource(
            new NumberSequenceSource(0, Long.MAX_VALUE - 1),
            WatermarkStrategy.noWatermarks(),
            "numbers")
        .uid("numbers")
        .map(
            number -> {
              Thread.sleep(1);
              return number;
            })
        .returns(Types.LONG)
        .uid("slow")
        .sinkTo(new DiscardingSink<>())
        .uid("nowhere");
    env.execute("counting");
  }
}
