package io.tributary.ingest.send;

import io.tributary.ingest.seal.HelloOutcome;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.Hello;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.TableState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes a group's messages to the control topic, one after the other.
 *
 * <pre>
 *   re-send what the state has not sent --> hello --> wait for the answer in the table --> send
 * </pre>
 *
 * <p>Each step is tried until it succeeds: what is to be sent lies in Flink state, so that waiting
 * loses nothing. The thread ends when it is closed, when another submission has taken over, or when
 * a message is too large for the topic.
 */
final class ControlSender {
  private static final Logger LOG = LoggerFactory.getLogger(ControlSender.class);
  private static final Duration ANSWER_POLL = Duration.ofMillis(250);
  private static final Duration WAIT_LOGGED_EVERY = Duration.ofSeconds(30);
  private static final Duration LOOK_FOR_SUCCESSOR_EVERY = Duration.ofSeconds(15);

  private final Submission submission;
  private final List<Committable> restored;
  private final Optional<Hello> hello;
  private final ControlTopic topic;
  private final TableLedger ledger;
  private final ManifestPlacement placement;
  private final boolean resendsFirst;
  private final SenderEvents events;
  private final BlockingQueue<ControlMessage> queue = new LinkedBlockingQueue<>();
  private final AtomicInteger given = new AtomicInteger();
  private final Thread thread;
  private volatile boolean draining;
  private volatile long lastSendMs;
  private volatile long failures;
  private volatile Optional<Halt> halt = Optional.empty();
  private long lookedForSuccessor = System.nanoTime();

  /**
   * @param restored unsent epochs of the Flink state, in order
   * @param hello absent when the table has answered this submission before
   * @param resendsFirst whether the restored epochs go before the hello, as they must
   * @param classLoader for what the thread loads
   */
  ControlSender(
      Submission submission,
      List<Committable> restored,
      Optional<Hello> hello,
      ControlTopic topic,
      TableLedger ledger,
      long inlineLimit,
      boolean resendsFirst,
      SenderEvents events,
      ClassLoader classLoader) {
    this.submission = submission;
    this.restored = List.copyOf(restored);
    this.hello = hello;
    this.topic = topic;
    this.ledger = ledger;
    this.placement = new ManifestPlacement(inlineLimit, ledger);
    this.resendsFirst = resendsFirst;
    this.events = events;
    this.thread = new Thread(this::run, "tributary-sender-" + submission.group());
    thread.setDaemon(true);
    thread.setContextClassLoader(classLoader);
  }

  void start() {
    thread.start();
  }

  /** Sends an epoch after all that were given before. */
  void send(Committable committable) {
    give(committable);
  }

  /** Asks for columns, after all that was given before. */
  void send(SchemaRequest request) {
    give(request);
  }

  private void give(ControlMessage message) {
    given.incrementAndGet();
    queue.add(message);
  }

  long lastSendMs() {
    return lastSendMs;
  }

  /** Tries that failed, since the start. */
  long failures() {
    return failures;
  }

  /** Why the coordinator has halted the group, as far as known. */
  Optional<Halt> halt() {
    return halt;
  }

  private void run() {
    try {
      if (resendsFirst) {
        sendRestored();
      }
      if (hello.isPresent() && !sayHello(hello.get())) {
        return;
      }
      if (!resendsFirst) {
        sendRestored();
      }
      while (true) {
        ControlMessage next = queue.poll(1, TimeUnit.SECONDS);
        if (next != null) {
          if (next instanceof Committable epoch) {
            sendEpoch(epoch);
          } else {
            LOG.info("Asked for columns at offset {}: {}", append(next), next);
          }
          given.decrementAndGet();
        } else if (draining) {
          return;
        }
        if (!stillNewest()) {
          return;
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("The sender of group {} was told to end", submission.group());
    } catch (Throwable e) {
      events.failed(e);
    } finally {
      topic.close();
      ledger.close();
    }
  }

  /** The hello goes on from them: behind it, it would name an epoch that nobody knows. */
  private void sendRestored() throws InterruptedException {
    for (Committable committable : restored) {
      sendEpoch(committable);
    }
  }

  /** Whether the job goes on. */
  private boolean sayHello(Hello message) throws InterruptedException {
    long offset = appendHello(message);
    long start = System.nanoTime();
    long logged = start;
    while (true) {
      Optional<TableState> table = untilItWorks("read the table", ledger::state);
      HelloOutcome outcome = HelloOutcome.judge(submission, offset, table);
      if (outcome instanceof HelloOutcome.Answered answered) {
        TableLayout layout = untilItWorks("read the table's layout", ledger::layout);
        events.answered(answered.table(), layout);
        return true;
      }
      if (outcome instanceof HelloOutcome.Superseded superseded) {
        events.superseded(superseded.message());
        return false;
      }
      if (outcome instanceof HelloOutcome.Lost lost) {
        LOG.warn("Group {} says hello again: {}", submission.group(), lost.reason());
        offset = appendHello(message);
      }
      if (outcome instanceof HelloOutcome.Waiting waiting
          && System.nanoTime() - logged >= WAIT_LOGGED_EVERY.toNanos()) {
        logged = System.nanoTime();
        LOG.warn(
            "Group {} has waited {} s for its start: {}",
            submission.group(),
            Duration.ofNanos(logged - start).toSeconds(),
            waiting.reason());
      }
      Thread.sleep(ANSWER_POLL.toMillis());
    }
  }

  private long appendHello(Hello message) throws InterruptedException {
    long offset = append(message);
    LOG.info(
        "Group {} said hello as incarnation {} at offset {}, going on from {}",
        submission.group(),
        submission.incarnation(),
        offset,
        message.continuation().map(Object::toString).orElse("what the table knows"));
    return offset;
  }

  private void sendEpoch(Committable committable) throws InterruptedException {
    long start = System.nanoTime();
    Committable placed = untilItWorks("store manifests", () -> placement.place(committable));
    long offset = append(placed);
    lastSendMs = Duration.ofNanos(System.nanoTime() - start).toMillis();
    if (committable.slices().isEmpty()) {
      LOG.debug(
          "Sent epoch {} of group {} at offset {}: no rows",
          committable.epoch(),
          committable.group(),
          offset);
    } else {
      LOG.info(
          "Sent epoch {} of group {} at offset {}: {} slices, {}, sealed at checkpoint {}",
          committable.epoch(),
          committable.group(),
          offset,
          committable.slices().size(),
          committable.counts(),
          committable.checkpointId());
    }
    events.acknowledged(committable.epoch());
  }

  private long append(ControlMessage message) throws InterruptedException {
    byte[] bytes = ControlMessageCodec.encode(message);
    return untilItWorks("send to the control topic", () -> topic.append(bytes));
  }

  /** A zombie ends by itself; the table would refuse it anyway. */
  private boolean stillNewest() throws InterruptedException {
    if (System.nanoTime() - lookedForSuccessor < LOOK_FOR_SUCCESSOR_EVERY.toNanos()) {
      return true;
    }
    lookedForSuccessor = System.nanoTime();
    Optional<TableState> table;
    try {
      table = ledger.state();
    } catch (RuntimeException e) {
      LOG.debug("The table cannot be read now; whether there is a successor is asked again", e);
      return true;
    }
    halt = table.flatMap(state -> state.group(submission.group())).flatMap(GroupState::halt);
    halt.ifPresent(why -> LOG.error("Group {} is halted: {}", submission.group(), why.message()));
    Optional<HelloOutcome.Superseded> superseded =
        table.flatMap(state -> HelloOutcome.supersededBy(submission, state));
    superseded.ifPresent(found -> events.superseded(found.message()));
    return superseded.isEmpty();
  }

  private <T> T untilItWorks(String what, Callable<T> step) throws InterruptedException {
    Backoff backoff = new Backoff();
    while (true) {
      try {
        T result = step.call();
        if (backoff.failures() > 0) {
          LOG.info(
              "Group {} can {} again, after {} failures",
              submission.group(),
              what,
              backoff.failures());
        }
        return result;
      } catch (InterruptedException | MessageTooLargeException e) {
        throw e;
      } catch (Exception e) {
        Duration wait = backoff.afterFailure();
        failures++;
        if (backoff.worthLogging()) {
          LOG.warn(
              "Group {} cannot {} (failure {} in a row), trying again in {} ms: {}",
              submission.group(),
              what,
              backoff.failures(),
              wait.toMillis(),
              e.getMessage(),
              backoff.failures() == 1 ? e : null);
        }
        Thread.sleep(wait.toMillis());
      }
    }
  }

  /**
   * Ends the thread.
   *
   * @param drain how long to let it send what was given to it
   */
  void close(Duration drain) throws InterruptedException {
    draining = true;
    long until = System.nanoTime() + drain.toNanos();
    while (thread.isAlive() && given.get() > 0 && System.nanoTime() < until) {
      Thread.sleep(20);
    }
    thread.interrupt();
    thread.join(Duration.ofSeconds(5).toMillis());
  }
}
