package io.tributary.coordinator;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Connects a table's loop with Flink's task thread, which never waits for it. A deposed loop is the
 * end of the input; one that was stopped for the operator keeps its place, so that the job goes on
 * for other tables and the reason stays visible; one that ended by a fault fails the task.
 */
final class CoordinatorReader implements SourceReader<String, NoSplit> {
  private final TableJob job;
  private final SourceReaderContext context;
  private TableWorker worker;

  // Guarded by lock.
  private final Object lock = new Object();
  private final Queue<String> published = new ArrayDeque<>();
  private CompletableFuture<Void> available = new CompletableFuture<>();
  private boolean isDeposed;
  private Optional<Throwable> fault = Optional.empty();

  CoordinatorReader(TableJob job, SourceReaderContext context) {
    this.job = job;
    this.context = context;
  }

  @Override
  public void start() {
    worker = new TableWorker(job, context.metricGroup(), this::published, this::ended);
    worker.start();
  }

  private void published(CommitStatus status) {
    synchronized (lock) {
      published.add(new String(CommitStatusCodec.encode(status), StandardCharsets.UTF_8));
      available.complete(null);
    }
  }

  private void ended(CoordinatorLoop.End how, Optional<Throwable> why) {
    synchronized (lock) {
      isDeposed = how == CoordinatorLoop.End.DEPOSED;
      fault = why;
      available.complete(null);
    }
  }

  @Override
  public InputStatus pollNext(ReaderOutput<String> output) {
    String next;
    InputStatus then;
    synchronized (lock) {
      if (fault.isPresent()) {
        throw new FlinkRuntimeException(
            "Cannot coordinate table " + job.table() + ": " + fault.get().getMessage(),
            fault.get());
      }
      next = published.poll();
      if (!published.isEmpty()) {
        then = InputStatus.MORE_AVAILABLE;
      } else if (isDeposed) {
        then = InputStatus.END_OF_INPUT;
      } else {
        available = new CompletableFuture<>();
        then = InputStatus.NOTHING_AVAILABLE;
      }
    }
    if (next != null) {
      output.collect(next);
    }
    return then;
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    synchronized (lock) {
      return available;
    }
  }

  /** Flink's checkpoint barrier is the clock. */
  @Override
  public List<NoSplit> snapshotState(long checkpointId) {
    worker.tick();
    return List.of();
  }

  @Override
  public void addSplits(List<NoSplit> splits) {}

  @Override
  public void notifyNoMoreSplits() {}

  @Override
  public void close() {
    if (worker != null) {
      worker.close();
    }
  }
}
