package io.tributary.coordinator;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Alarm;
import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.GroupView;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.PublishOutcome;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLook;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.coordinator.kafka.ControlTopic;
import io.tributary.coordinator.kafka.KafkaUnreachableException;
import io.tributary.coordinator.kafka.StatusTopic;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.coordinator.kafka.TopicRefusedException;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Hello;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One table's coordinator at work, on one thread: passes on what the control topic, the clock and
 * the registry say, and does what the core decides. It decides nothing itself. Whatever does not
 * answer is tried again for as long as it takes; the loop ends only when it is closed, deposed, or
 * stopped by something that only the operator can settle.
 *
 * <pre>
 *   run: topics and catalog checked --> Started --> [ tick | registry | records ]* --> ended
 * </pre>
 */
public final class CoordinatorLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorLoop.class);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final long PAUSE_MS = 100;

  /** Behind a long absence the rest of the topic waits in Kafka, not in memory. */
  private static final int MOST_PENDING_EPOCHS = 1_000;

  /** As long as every group can have some, however many groups there are. */
  private static final int PENDING_EPOCHS_PER_GROUP = 4;

  /** How the loop ended. */
  public enum End {
    /** It was asked to. */
    CLOSED,
    /** Another coordinator has the table. */
    DEPOSED,
    /** Something is wrong that the operator must settle. */
    STOPPED
  }

  /**
   * What the loop works with.
   *
   * @param catalogProblem why the catalog cannot be used at all, asked once at start; throws when
   *     it does not answer
   * @param term the registry's counter of terms, asked once; 0 without one
   * @param onPublished takes each message that is out
   */
  public record Parts(
      TableName table,
      CoordinatorCore core,
      TableLedger ledger,
      TableCreator creator,
      TableMaintenance maintenance,
      TableTopics topics,
      ControlTopic control,
      StatusTopic status,
      Supplier<Optional<String>> catalogProblem,
      Supplier<Term> term,
      Consumer<CommitStatus> onPublished,
      LoopMetrics metrics,
      Clock clock,
      Supplier<UUID> ids,
      Steps steps) {}

  private final Parts parts;
  private final TableName table;
  private final CoordinatorCore core;
  private final LoopMetrics metrics;
  private final Backoff retry = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));
  private final Backoff kafka = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(10));
  private final RaisedAlarms said = new RaisedAlarms();
  private final AtomicBoolean tick = new AtomicBoolean();
  private final AtomicReference<Members> members = new AtomicReference<>();
  private volatile boolean closing;
  private Optional<End> end = Optional.empty();

  public CoordinatorLoop(Parts parts) {
    this.parts = parts;
    this.table = parts.table();
    this.core = parts.core();
    this.metrics = parts.metrics();
  }

  /** Time for a round; for any thread. */
  public void tick() {
    tick.set(true);
    parts.control().wakeup();
  }

  /** The registry says something else; for any thread. */
  public void registryChanged(Members now) {
    members.set(now);
    parts.control().wakeup();
  }

  /** Ends the loop after the step that is being done; for any thread. */
  public void close() {
    closing = true;
    parts.control().wakeup();
  }

  /** How it ended; empty while it runs. Valid on the loop's thread, and after it has ended. */
  public Optional<End> end() {
    return end;
  }

  /**
   * @throws RuntimeException only for faults in the program itself
   */
  @Override
  public void run() {
    TableTopics topics = parts.topics();
    StatusTopic status = parts.status();
    ControlTopic control = parts.control();
    // Closed from the right; a fault in one hides neither the others nor what came before.
    try (topics;
        status;
        control;
        TableMaintenance maintenance = parts.maintenance()) {
      if (prepare("Kafka", this::topicProblem) && prepare("the catalog", parts.catalogProblem())) {
        deliver(new Event.Started(parts.term().get()));
      }
      while (end.isEmpty() && !closing) {
        step(maintenance);
      }
      if (end.isEmpty()) {
        end = Optional.of(End.CLOSED);
      }
    }
  }

  private Optional<String> topicProblem() {
    try {
      parts.topics().ensure();
      return Optional.empty();
    } catch (TopicRefusedException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** Asks until there is an answer; whether that is good. */
  private boolean prepare(String whom, Supplier<Optional<String>> problem) {
    while (!closing) {
      try {
        Optional<String> found = problem.get();
        found.ifPresent(this::stop);
        return found.isEmpty();
      } catch (RuntimeException e) {
        LOG.info("Table {} waits for {}: {}", table, whom, e.getMessage());
        retry.failed(parts.clock().instant());
        while (retry.isWaiting(parts.clock().instant()) && !closing) {
          pause();
        }
      }
    }
    return false;
  }

  private void step(TableMaintenance maintenance) {
    // A tick that comes while one is being served counts once: rounds are not made up for.
    if (tick.getAndSet(false) || retry.isDue(parts.clock().instant())) {
      deliver(new Event.Tick());
    }
    Members changed = members.getAndSet(null);
    if (changed != null && end.isEmpty()) {
      deliver(new Event.RegistryChanged(changed));
    }
    if (end.isEmpty() && !closing) {
      readControl();
    }
    if (end.isEmpty() && !closing && !tick.get() && core.isAtRest()) {
      core.ledger().flatMap(maintenance::step).ifPresent(this::maintained);
    }
    metrics.groups(core.groups());
    metrics.stage(core.stage());
  }

  private void maintained(TableMaintenance.Report report) {
    metrics.maintained(report);
    report
        .alarm()
        .ifPresentOrElse(
            text -> raise(new Alarm(Alarm.Code.TABLE_GROWS, table, Optional.empty(), text)),
            () -> said.over(Alarm.Code.TABLE_GROWS));
  }

  private void readControl() {
    if (!parts.control().isReading()
        || kafka.isWaiting(parts.clock().instant())
        || pendingEpochs() > mostPendingEpochs()) {
      pause();
      return;
    }
    List<Event> events;
    try {
      events = parts.control().poll(POLL);
      kafka.succeeded();
    } catch (TopicRefusedException e) {
      stop(e.getMessage());
      return;
    } catch (KafkaUnreachableException e) {
      kafka.failed(parts.clock().instant());
      raise(
          new Alarm(
              Alarm.Code.UNREACHABLE,
              table,
              Optional.empty(),
              "Cannot read the control topic of table %s: %s; tried again"
                  .formatted(table, e.getMessage())));
      return;
    }
    for (Event event : events) {
      if (end.isPresent() || closing) {
        return;
      }
      deliver(withMisfit(event));
    }
  }

  /** Without those of halted groups, which nothing that the loop waits for would ever commit. */
  private int pendingEpochs() {
    return core.groups().stream()
        .filter(view -> view.halt().isEmpty())
        .mapToInt(GroupView::pendingEpochs)
        .sum();
  }

  private int mostPendingEpochs() {
    return Math.max(MOST_PENDING_EPOCHS, PENDING_EPOCHS_PER_GROUP * core.groups().size());
  }

  private Event withMisfit(Event event) {
    return event instanceof Event.Record record && record.message() instanceof Hello hello
        ? new Event.Record(record.offset(), hello, parts.ledger().misfit(hello.proposal()))
        : event;
  }

  /** Tells the core, does what it wants, tells it what came of that, until it wants nothing. */
  private void deliver(Event first) {
    List<Event> events = List.of(first);
    while (!events.isEmpty()) {
      List<Event> answers = new ArrayList<>();
      for (Event event : events) {
        for (Action action : core.handle(event, parts.clock().instant(), parts.ids().get())) {
          if (end.isPresent() || closing) {
            return;
          }
          parts.steps().before(action);
          Event answer = perform(action);
          parts.steps().after(action, answer);
          if (answer != null) {
            answers.add(answer);
          }
        }
      }
      events = answers;
    }
    core.ledger().ifPresent(metrics::ledger);
  }

  private Event perform(Action action) {
    if (action instanceof Action.ReadTable) {
      TableLook look = parts.ledger().read();
      answered(!(look instanceof TableLook.Unreachable));
      return new Event.TableRead(look);
    }
    if (action instanceof Action.CreateTable create) {
      return swapped(parts.creator().create(create));
    }
    if (action instanceof Action.Claim claim) {
      LOG.info(
          "Claiming table {} for term {}, owner {}, at round {}: {}",
          table,
          claim.next().term(),
          claim.next().owner(),
          claim.next().round(),
          claim.reason());
      return swapped(parts.ledger().claim(claim.expected(), claim.next()));
    }
    if (action instanceof Action.CommitRound commit) {
      return commit(commit);
    }
    if (action instanceof Action.OpenPublisher) {
      return openPublisher();
    }
    if (action instanceof Action.Publish publish) {
      return publish(publish.status());
    }
    if (action instanceof Action.ReadControlFrom read) {
      parts.control().readFrom(read.offset());
    } else if (action instanceof Action.DeleteControlRecordsBelow delete) {
      parts.topics().deleteControlRecordsBelow(delete.offset());
    } else if (action instanceof Action.Raise raise) {
      raise(raise.alarm());
    } else if (action instanceof Action.StopTable halt) {
      stop(halt.reason());
    } else if (action instanceof Action.EndDeposed deposed) {
      LOG.warn("The coordinator of table {} ends: {}", table, deposed.reason());
      metrics.raised(new Alarm(Alarm.Code.DEPOSED, table, Optional.empty(), deposed.reason()));
      end = Optional.of(End.DEPOSED);
    }
    return null;
  }

  private Event commit(Action.CommitRound commit) {
    long start = System.nanoTime();
    SwapOutcome outcome = parts.ledger().commit(commit.plan());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    if (outcome instanceof SwapOutcome.Done done) {
      metrics.committed(done.state(), took, parts.ledger().existenceRequests());
      LOG.info("{}", RoundReport.of(table, done.state(), commit.plan(), took, parts.clock()));
    }
    // The core tells the operator what came of it otherwise.
    return swapped(outcome);
  }

  private Event swapped(SwapOutcome outcome) {
    metrics.swapped(outcome);
    answered(
        !(outcome instanceof SwapOutcome.Unreachable) && !(outcome instanceof SwapOutcome.Unknown));
    return new Event.SwapAnswered(outcome);
  }

  private Event openPublisher() {
    try {
      Event answer = parts.status().open();
      answered(answer instanceof Event.PublisherOpened);
      return answer;
    } catch (TopicRefusedException e) {
      stop(e.getMessage());
      return null;
    }
  }

  private Event publish(CommitStatus message) {
    long start = System.nanoTime();
    PublishOutcome outcome;
    try {
      outcome =
          parts.ledger().canBeRead(message.snapshot())
              ? parts.status().publish(message)
              : new PublishOutcome.NotConfirmed(
                  "snapshot " + message.snapshot() + " cannot be read from the table");
    } catch (RuntimeException e) {
      outcome = new PublishOutcome.NotConfirmed("the table cannot be read: " + e.getMessage());
    }
    boolean published = outcome instanceof PublishOutcome.Published;
    answered(published);
    if (published) {
      metrics.published(Duration.ofNanos(System.nanoTime() - start));
      parts.onPublished().accept(message);
    }
    return new Event.PublishAnswered(outcome);
  }

  private void answered(boolean did) {
    if (did) {
      retry.succeeded();
      said.over(Alarm.Code.UNREACHABLE);
    } else {
      retry.failed(parts.clock().instant());
    }
  }

  /** Counted each time, logged once for as long as it is the same. */
  private void raise(Alarm alarm) {
    metrics.raised(alarm);
    if (said.raise(alarm)) {
      LOG.warn("{}: {}", alarm.code(), alarm.text());
    }
  }

  private void stop(String reason) {
    LOG.error("The coordinator stops for table {}: {}", table, reason);
    metrics.raised(new Alarm(Alarm.Code.TABLE_STOPPED, table, Optional.empty(), reason));
    metrics.stopped();
    end = Optional.of(End.STOPPED);
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closing = true;
    }
  }
}
