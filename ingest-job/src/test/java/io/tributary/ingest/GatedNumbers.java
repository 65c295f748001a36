package io.tributary.ingest;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The numbers from 0, as many as a test allows so far: tests do not depend on anyone's speed. */
final class GatedNumbers
    implements Source<Long, NumberSequenceSplit, Collection<NumberSequenceSplit>> {
  private static final AtomicLong LEFT = new AtomicLong();

  private final NumberSequenceSource numbers;

  GatedNumbers(long count) {
    this.numbers = new NumberSequenceSource(0, count - 1);
  }

  /** Allows so many numbers from now on, all readers together. */
  static void allow(long count) {
    LEFT.set(count);
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.BOUNDED;
  }

  @Override
  public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
    return new Reader(numbers.createReader(context));
  }

  @Override
  public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> createEnumerator(
      SplitEnumeratorContext<NumberSequenceSplit> context) {
    return numbers.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> restoreEnumerator(
      SplitEnumeratorContext<NumberSequenceSplit> context,
      Collection<NumberSequenceSplit> checkpoint) {
    return numbers.restoreEnumerator(context, checkpoint);
  }

  @Override
  public SimpleVersionedSerializer<NumberSequenceSplit> getSplitSerializer() {
    return numbers.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<Collection<NumberSequenceSplit>>
      getEnumeratorCheckpointSerializer() {
    return numbers.getEnumeratorCheckpointSerializer();
  }

  private record Reader(SourceReader<Long, NumberSequenceSplit> reader)
      implements SourceReader<Long, NumberSequenceSplit> {
    @Override
    public void start() {
      reader.start();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<Long> output) throws Exception {
      if (LEFT.get() <= 0) {
        return InputStatus.NOTHING_AVAILABLE;
      }
      LEFT.decrementAndGet();
      return reader.pollNext(output);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      return LEFT.get() > 0
          ? reader.isAvailable()
          : CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS));
    }

    @Override
    public List<NumberSequenceSplit> snapshotState(long checkpointId) {
      return reader.snapshotState(checkpointId);
    }

    @Override
    public void addSplits(List<NumberSequenceSplit> splits) {
      reader.addSplits(splits);
    }

    @Override
    public void notifyNoMoreSplits() {
      reader.notifyNoMoreSplits();
    }

    @Override
    public void close() throws Exception {
      reader.close();
    }
  }
}
