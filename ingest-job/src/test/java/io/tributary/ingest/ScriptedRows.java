package io.tributary.ingest;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.source.SourceMark;
import io.tributary.ingest.table.OrdersTable;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.util.OutputTag;

/**
 * Makes a fixed history out of numbers: each key takes four of them, is copied by the first and
 * changed by the others; every fifth key is deleted at the end, every seventh is only copied, so
 * that a copy that came twice would show.
 */
final class ScriptedRows extends AbstractStreamOperator<ShardRow>
    implements OneInputStreamOperator<Long, ShardRow> {
  static final ServerName SERVER = new ServerName("db1");
  private static final int SHARDS = 2;

  /** Set by a test: the next row fails the job, once. */
  static final AtomicBoolean FAIL_NEXT = new AtomicBoolean();

  /** Subtasks that have started, in all attempts. */
  static final AtomicInteger OPENED = new AtomicInteger();

  /** Set by a test: so many checkpoints are declined behind the barrier that the sealer gets. */
  static final AtomicInteger DECLINE = new AtomicInteger();

  /** Checkpoints that were declined. */
  static final Set<Long> DECLINED = ConcurrentHashMap.newKeySet();

  /** Set by a test: rows of this number and above have one column more. */
  static volatile long longerFrom = Long.MAX_VALUE;

  /** The version of the table's schema that has that column. */
  static volatile long longerSchema;

  /** Barriers that the first subtask has seen. */
  static final AtomicInteger BARRIERS = new AtomicInteger();

  private final OutputTag<SourceMark> marks;
  private transient long seen;

  ScriptedRows(OutputTag<SourceMark> marks) {
    this.marks = marks;
    setChainingStrategy(ChainingStrategy.ALWAYS);
  }

  /** All keys' last rows, as {@link OrdersTable#rows()} says them. */
  static List<String> outcome(long numbers) {
    List<String> rows = new ArrayList<>();
    for (long key = 0; key < numbers / 4; key++) {
      if (key % 7 == 0) {
        rows.add("%d/%05d=v0".formatted(key % SHARDS, key));
      } else if (key % 5 != 0) {
        rows.add("%d/%05d=v3".formatted(key % SHARDS, key));
      }
    }
    rows.sort(null);
    return rows;
  }

  @Override
  public void open() {
    OPENED.incrementAndGet();
  }

  @Override
  public void processElement(StreamRecord<Long> element) {
    if (FAIL_NEXT.compareAndSet(true, false)) {
      throw new IllegalStateException("The test wants this attempt to fail");
    }
    long number = element.getValue();
    long key = number / 4;
    int shard = (int) (key % SHARDS);
    seen++;
    int step = (int) (number % 4);
    if (step == 0) {
      emit(number, OrdersTable.copy(shard, key, "v0"));
    } else if (key % 7 != 0) {
      emit(
          number,
          step == 3 && key % 5 == 0
              ? OrdersTable.delete(shard, key)
              : OrdersTable.update(shard, key, "v" + step));
    }
  }

  private void emit(long number, ShardRow row) {
    output.collect(new StreamRecord<>(number < longerFrom ? row : longer(row)));
  }

  private static ShardRow longer(ShardRow row) {
    GenericRowData longer = new GenericRowData(row.row().getRowKind(), row.row().getArity() + 1);
    for (int i = 0; i < row.row().getArity(); i++) {
      longer.setField(i, row.row().getField(i));
    }
    longer.setField(row.row().getArity(), 7);
    return new ShardRow(row.shard(), row.origin(), longerSchema, longer);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    if (DECLINE.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      DECLINED.add(context.getCheckpointId());
      throw new IllegalStateException("The test wants this checkpoint to be aborted");
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
      BARRIERS.incrementAndGet();
      output.collect(
          marks,
          new StreamRecord<>(
              new SourceMark(
                  SERVER,
                  Optional.of(SourcePosition.of("binlog.000001", 4 + seen)),
                  Optional.of(new Watermark(Instant.now())),
                  Map.of())));
    }
  }
}
