package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.TableName;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * The rounds of a table, one after the other, as they are published; {@link #hasNext} waits for the
 * next one and is false only after {@link #close}, which may come from another thread. Used by one
 * thread at a time otherwise.
 */
public final class CommitStatusTail implements Iterator<CommitStatus>, AutoCloseable {
  private static final Duration LOOK_FOR_TOPIC = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofSeconds(5);

  private final TableName table;
  private final StatusTopic topic;
  private final RoundSequence sequence;
  private final Consumer<SequenceFault> faults;
  private final Consumer<CommitStatusTail> onClose;
  private final Queue<StatusTopic.Entry> fetched = new ArrayDeque<>();
  private boolean positioned;
  private Optional<CommitStatus> next = Optional.empty();
  private volatile boolean closed;

  /**
   * @param faults told of each message that does not follow the one before; the message itself is
   *     delivered all the same unless this throws
   */
  CommitStatusTail(
      TableName table,
      StatusTopic topic,
      TailStart start,
      Consumer<SequenceFault> faults,
      Consumer<CommitStatusTail> onClose,
      Duration timeout) {
    this.table = table;
    this.topic = topic;
    this.faults = faults;
    this.onClose = onClose;
    this.sequence =
        start instanceof TailStart.After after
            ? RoundSequence.after(after.round())
            : RoundSequence.fromAnyRound();
    if (topic.exists(timeout)) {
      if (start instanceof TailStart.Beginning) {
        topic.seekBegin(timeout);
      } else if (start instanceof TailStart.Last) {
        topic.last(timeout).ifPresent(fetched::add);
      } else if (start instanceof TailStart.Next) {
        topic.seekEnd(timeout);
      } else if (start instanceof TailStart.After after) {
        topic.seekAfter(after.round(), timeout);
      }
      positioned = true;
    }
  }

  /** What there is when there was no message. */
  String nothing() {
    return (positioned ? "no message on topic " : "no topic ") + topic.name();
  }

  public TableName table() {
    return table;
  }

  /**
   * The next message, if one comes in this time.
   *
   * @return absent when none came or the tail is closed
   * @throws StatusTopicException when the topic cannot be read on
   * @throws StatusSequenceException when the message does not follow the one before, unless the
   *     tail was opened with a receiver of such faults
   */
  public synchronized Optional<CommitStatus> poll(Duration timeout) {
    if (next.isPresent()) {
      Optional<CommitStatus> ready = next;
      next = Optional.empty();
      return ready;
    }
    Deadline deadline = Deadline.in(timeout);
    try {
      while (!closed) {
        StatusTopic.Entry entry = fetched.poll();
        if (entry != null) {
          sequence.accept(entry.status(), entry.offset()).forEach(faults);
          return Optional.of(entry.status());
        }
        if (position(deadline)) {
          fetched.addAll(topic.poll(deadline.left()));
        }
        if (fetched.isEmpty() && deadline.isOver()) {
          return Optional.empty();
        }
      }
    } catch (WakeupException e) {
      if (!closed) {
        throw e;
      }
    }
    return Optional.empty();
  }

  /** Waits for the next message; false only when the tail is closed. */
  @Override
  public synchronized boolean hasNext() {
    while (next.isEmpty() && !closed) {
      next = poll(LONG);
    }
    return next.isPresent();
  }

  /**
   * @throws NoSuchElementException when the tail is closed
   */
  @Override
  public synchronized CommitStatus next() {
    if (!hasNext()) {
      throw new NoSuchElementException(
          "Cannot read on the rounds of table " + table + ": the tail is closed");
    }
    CommitStatus status = next.orElseThrow();
    next = Optional.empty();
    return status;
  }

  /** The messages as a stream, which ends when the tail is closed; closing it closes the tail. */
  public Stream<CommitStatus> stream() {
    int characteristics = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.IMMUTABLE;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, characteristics), false)
        .onClose(this::close);
  }

  @Override
  public void close() {
    // Before the lock, which a waiting thread holds until it is woken.
    closed = true;
    topic.wakeup();
    synchronized (this) {
      next = Optional.empty();
      topic.close();
    }
    onClose.accept(this);
  }

  /** A topic that was not there when the tail was opened is read from its beginning. */
  private boolean position(Deadline deadline) {
    if (positioned) {
      return true;
    }
    try {
      Duration timeout = deadline.leftAtMost(LONG);
      if (topic.exists(timeout)) {
        topic.seekBegin(timeout);
        positioned = true;
      } else {
        pause(deadline.leftAtMost(LOOK_FOR_TOPIC));
      }
    } catch (TimeoutException e) {
      // Kafka is away: so is the topic, until it comes or the caller gives up.
      pause(deadline.leftAtMost(LOOK_FOR_TOPIC));
    }
    return positioned;
  }

  /** In small steps, because a closing thread cannot interrupt this one. */
  private void pause(Duration duration) {
    Deadline deadline = Deadline.in(duration);
    while (!closed && !deadline.isOver()) {
      try {
        Thread.sleep(deadline.leftAtMost(Duration.ofMillis(50)).toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new org.apache.kafka.common.errors.InterruptException(e);
      }
    }
  }
}
