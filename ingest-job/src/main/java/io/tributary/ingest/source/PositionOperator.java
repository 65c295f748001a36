package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Passes rows on, and says at each barrier where the source stands, ahead of the barrier itself: so
 * the standing belongs to the very rows that the barrier closes in. A subtask that has heard no
 * standing says nothing: its source stands where it stood.
 *
 * <p>What statements emptied is said at each barrier behind them until a checkpoint is complete. It
 * is in no state: whoever goes on from a state of before reads the statement again.
 *
 * <p>Remembers which shards are halted, since the source's position goes on without them: of these
 * no row is passed on any more, also not by whoever goes on from its state.
 */
final class PositionOperator extends AbstractStreamOperator<ShardRow>
    implements OneInputStreamOperator<SourceElement, ShardRow> {
  /** Between two barriers standings matter for freshness only. */
  private static final long MARK_INTERVAL_NANOS = 200_000_000L;

  private static final long NOT_NAMED = -1;

  private final OutputTag<SourceMark> marks;
  private transient StreamRecord<ShardRow> reused;
  private transient SourceMark standing;
  private transient boolean said;
  private transient long lastSaidNanos;
  private transient ListState<String> state;
  private transient TreeMap<ShardId, String> halted;

  /** The first barrier that named each; {@link #NOT_NAMED} before it. */
  private transient TreeMap<ShardId, Long> emptied;

  PositionOperator(OutputTag<SourceMark> marks) {
    this.marks = marks;
    setChainingStrategy(ChainingStrategy.ALWAYS);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    halted = new TreeMap<>();
    // Each subtask gets all of it: whichever will read a halted shard.
    state =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>("halted-shards", StringSerializer.INSTANCE));
    for (String entry : state.get()) {
      int end = entry.indexOf('\n');
      halted.putIfAbsent(
          new ShardId(Integer.parseInt(entry.substring(0, end))), entry.substring(end + 1));
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    reused = new StreamRecord<>(null);
    emptied = new TreeMap<>();
    lastSaidNanos = System.nanoTime() - MARK_INTERVAL_NANOS;
  }

  @Override
  public void processElement(StreamRecord<SourceElement> element) {
    SourceElement value = element.getValue();
    if (value instanceof SourceElement.Row row) {
      if (!halted.isEmpty() && halted.containsKey(row.row().shard())) {
        return;
      }
      if (element.hasTimestamp()) {
        output.collect(reused.replace(row.row(), element.getTimestamp()));
      } else {
        reused.eraseTimestamp();
        output.collect(reused.replace(row.row()));
      }
    } else if (value instanceof SourceElement.ShardsEmptied here) {
      here.shards().forEach(shard -> emptied.put(shard, NOT_NAMED));
    } else if (value instanceof SourceElement.Standing here) {
      here.mark().faults().forEach(halted::putIfAbsent);
      SourceMark now = halted.isEmpty() ? here.mark() : here.mark().withFaults(halted);
      if (!now.equals(standing)) {
        standing = now;
        said = false;
      }
      long time = System.nanoTime();
      if (!said && time - lastSaidNanos >= MARK_INTERVAL_NANOS) {
        say(standing, time);
      }
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    if (standing == null) {
      return;
    }
    if (emptied.isEmpty()) {
      say(standing, System.nanoTime());
    } else {
      emptied.replaceAll((shard, first) -> first == NOT_NAMED ? checkpointId : first);
      say(
          standing.withEmptied(new Emptied(checkpointId, new TreeSet<>(emptied.keySet()))),
          System.nanoTime());
    }
  }

  /** What was emptied is named until a checkpoint with it is complete; so long no row comes. */
  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    emptied.values().removeIf(first -> first != NOT_NAMED && first <= checkpointId);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<String> entries = new ArrayList<>();
    for (Map.Entry<ShardId, String> entry : halted.entrySet()) {
      entries.add(entry.getKey() + "\n" + entry.getValue());
    }
    state.update(entries);
  }

  private void say(SourceMark mark, long now) {
    output.collect(marks, new StreamRecord<>(mark));
    said = true;
    lastSaidNanos = now;
  }
}
