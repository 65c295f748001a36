package io.tributary.loadtests.chaos;

import io.tributary.cli.CliException;
import io.tributary.cli.LakeTable;
import io.tributary.cli.demo.StatusMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.NotFoundException;

/**
 * Checks every message against the journal and the snapshot it names, on a thread of its own. A
 * metastore that is away is waited for.
 */
final class WatermarkCheck implements AutoCloseable {
  private static final Duration RETRY = Duration.ofMillis(500);
  private static final Duration POLL = Duration.ofMillis(200);

  private final LakeTable lake;
  private final CommitJournal journal;
  private final TableHistory history = new TableHistory();
  private final BlockingQueue<StatusMessage> messages = new LinkedBlockingQueue<>();
  private final Thread thread;
  private Optional<Table> table = Optional.empty();
  private volatile long checkedRound;
  private volatile boolean stopped;
  private volatile Throwable failure;

  WatermarkCheck(LakeTable lake, CommitJournal journal) {
    this.lake = lake;
    this.journal = journal;
    this.thread = new Thread(this::run, "watermark-check");
    thread.setDaemon(true);
    thread.start();
  }

  /** Takes a message; for any thread. */
  void accept(StatusMessage message) {
    messages.add(message);
  }

  /** The last round whose message was checked. */
  long checkedRound() {
    return checkedRound;
  }

  /** Why checking had to end, if it had to. */
  Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /** What else is wrong with the table's history; complete after {@link #close}. */
  List<String> problems() {
    return history.problems();
  }

  private void run() {
    try {
      while (!stopped) {
        StatusMessage message = messages.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
        if (message != null) {
          check(message);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
  }

  private void check(StatusMessage message) throws InterruptedException, IOException {
    if (message.snapshotId().isPresent()) {
      long id = message.snapshotId().get();
      history.advance(tableWith(id), id);
    }
    message
        .validThrough()
        .ifPresent(
            through -> journal.check(through, history, "message of round " + message.round()));
    checkedRound = message.round();
  }

  private Table tableWith(long snapshotId) throws InterruptedException {
    while (table.filter(known -> known.snapshot(snapshotId) != null).isEmpty()) {
      try {
        Optional<Table> loaded = lake.load();
        if (loaded.isPresent() && loaded.get().snapshot(snapshotId) == null) {
          throw new IllegalStateException(
              "Cannot check a message: expected its snapshot %d in the table, found none"
                  .formatted(snapshotId));
        }
        table = loaded;
      } catch (CliException | UncheckedIOException | NotFoundException e) {
        if (stopped) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(RETRY.toMillis());
      }
    }
    return table.get();
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(20));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    lake.close();
  }
}
