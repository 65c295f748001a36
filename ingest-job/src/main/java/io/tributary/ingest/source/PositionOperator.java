package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Passes rows on, and says at each barrier where the source stands, ahead of the barrier itself: so
 * the standing belongs to the very rows that the barrier closes in. A subtask that has heard no
 * standing says nothing: its source stands where it stood.
 */
final class PositionOperator extends AbstractStreamOperator<ShardRow>
    implements OneInputStreamOperator<SourceElement, ShardRow> {
  /** Between two barriers standings matter for freshness only. */
  private static final long MARK_INTERVAL_NANOS = 200_000_000L;

  private final OutputTag<SourceMark> marks;
  private transient StreamRecord<ShardRow> reused;
  private transient SourceMark standing;
  private transient boolean said;
  private transient long lastSaidNanos;

  PositionOperator(OutputTag<SourceMark> marks) {
    this.marks = marks;
    setChainingStrategy(ChainingStrategy.ALWAYS);
  }

  @Override
  public void open() throws Exception {
    super.open();
    reused = new StreamRecord<>(null);
    lastSaidNanos = System.nanoTime() - MARK_INTERVAL_NANOS;
  }

  @Override
  public void processElement(StreamRecord<SourceElement> element) {
    SourceElement value = element.getValue();
    if (value instanceof SourceElement.Row row) {
      if (element.hasTimestamp()) {
        output.collect(reused.replace(row.row(), element.getTimestamp()));
      } else {
        reused.eraseTimestamp();
        output.collect(reused.replace(row.row()));
      }
    } else if (value instanceof SourceElement.Standing here) {
      if (!here.mark().equals(standing)) {
        standing = here.mark();
        said = false;
      }
      long now = System.nanoTime();
      if (!said && now - lastSaidNanos >= MARK_INTERVAL_NANOS) {
        say(now);
      }
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    if (standing != null) {
      say(System.nanoTime());
    }
  }

  private void say(long now) {
    output.collect(marks, new StreamRecord<>(standing));
    said = true;
    lastSaidNanos = now;
  }
}
