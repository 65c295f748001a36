package io.tributary.ingest.send;

import static io.tributary.ingest.send.ManifestPlacementTest.committable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ControlSenderTest {
  private static final TableUuid UUID_OF_TABLE = new TableUuid(new UUID(1, 1));
  private static final Submission SUBMISSION =
      new Submission(
          new TableName("a.b"),
          new GroupName("g"),
          new Incarnation(2),
          new SubmissionId(new UUID(2, 2)),
          List.of(
              new SourcePlan(
                  new SourceId("source-db1"), new ServerName("db1"), List.of(new ShardId(1)))),
          new TreeMap<>(),
          0);

  private final List<String> log = new CopyOnWriteArrayList<>();
  private volatile boolean kafkaDown;
  private volatile boolean tooLarge;
  private volatile Optional<TableState> table = Optional.empty();
  private ControlSender sender;

  @AfterEach
  void close() throws InterruptedException {
    sender.close(Duration.ZERO);
  }

  private static String describe(ControlMessage message) {
    return message instanceof Committable committable
        ? "epoch " + committable.epoch()
        : "hello " + ((Hello) message).incarnation();
  }

  private final class Topic implements ControlTopic {
    private long next;

    @Override
    public long append(byte[] message) {
      if (tooLarge) {
        throw new MessageTooLargeException("too large", null);
      }
      if (kafkaDown) {
        log.add("refused");
        throw new ControlTopicException("down", null);
      }
      log.add(describe(ControlMessageCodec.decode(message)));
      return next++;
    }

    @Override
    public void close() {
      log.add("topic closed");
    }
  }

  private final class Ledger implements TableLedger {
    @Override
    public Optional<TableState> state() {
      return table;
    }

    @Override
    public TableLayout layout() {
      return new TableLayout(UUID_OF_TABLE, 0, 0, 2);
    }

    @Override
    public CommittableManifest.Stored store(
        Committable committable, CommittableManifest.Inline manifest) {
      throw new UnsupportedOperationException("Nothing is that large here");
    }

    @Override
    public void close() {}
  }

  private final class Events implements SenderEvents {
    @Override
    public void acknowledged(Epoch epoch) {
      log.add("acknowledged " + epoch);
    }

    @Override
    public void answered(TableState state, TableLayout layout) {
      log.add("answered");
    }

    @Override
    public void superseded(String message) {
      log.add("superseded");
    }

    @Override
    public void failed(Throwable cause) {
      log.add("failed: " + cause.getMessage());
    }
  }

  private void start(List<Committable> restored, boolean hello) {
    sender =
        new ControlSender(
            SUBMISSION,
            restored,
            hello
                ? Optional.of(
                    new Hello(
                        SUBMISSION.table(),
                        SUBMISSION.group(),
                        SUBMISSION.incarnation(),
                        SUBMISSION.id(),
                        Optional.empty(),
                        new TableProposal("{}", "shard_id", "id", 1),
                        SUBMISSION.shards(),
                        0,
                        Instant.EPOCH))
                : Optional.empty(),
            new Topic(),
            new Ledger(),
            1_000_000,
            true,
            new Events(),
            getClass().getClassLoader());
    sender.start();
  }

  private static TableState table(long incarnation, SubmissionId submission, long helloOffset) {
    return new TableState(
        UUID_OF_TABLE,
        new RoundNumber(1),
        new Term(1),
        new OwnerId(new UUID(3, 3)),
        new PlanId(new UUID(4, 4)),
        0,
        helloOffset + 1,
        Optional.empty(),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        Instant.EPOCH,
        new TreeMap<>(
            Map.of(
                SUBMISSION.group(),
                new GroupState(
                    new Incarnation(incarnation),
                    submission,
                    helloOffset,
                    HelloAnswer.START_FROM_TABLE,
                    new Epoch(0),
                    new Epoch(0),
                    ChainHash.first(UUID_OF_TABLE, SUBMISSION.group()),
                    Optional.empty()))),
        new TreeMap<>(),
        new TreeMap<>());
  }

  private void awaitLog(String... lines) {
    await().atMost(Duration.ofSeconds(20)).until(() -> log.containsAll(List.of(lines)));
  }

  @Test
  void sendsWhatTheStateHasThenTheHelloThenWaitsThenSendsOn() {
    start(List.of(committable(1), committable(2)), true);
    sender.send(committable(3));
    awaitLog("hello 2");
    assertThat(log).doesNotContain("answered", "epoch 3");

    table = Optional.of(table(2, SUBMISSION.id(), 2));
    awaitLog("acknowledged 3");

    assertThat(log)
        .containsExactly(
            "epoch 1",
            "acknowledged 1",
            "epoch 2",
            "acknowledged 2",
            "hello 2",
            "answered",
            "epoch 3",
            "acknowledged 3");
  }

  @Test
  void triesAgainInOrderWhileKafkaIsDown() {
    kafkaDown = true;
    start(List.of(committable(1)), false);
    sender.send(committable(2));
    awaitLog("refused");
    assertThat(log).containsOnly("refused");

    kafkaDown = false;
    awaitLog("acknowledged 2");

    assertThat(log)
        .filteredOn(line -> !line.equals("refused"))
        .containsExactly("epoch 1", "acknowledged 1", "epoch 2", "acknowledged 2");
    assertThat(sender.failures()).isPositive();
  }

  @Test
  void endsWhenAnotherSubmissionHasTakenOver() {
    table = Optional.of(table(3, new SubmissionId(new UUID(5, 5)), 7));
    start(List.of(), true);

    awaitLog("superseded", "topic closed");
    assertThat(log).containsExactly("hello 2", "superseded", "topic closed");
  }

  @Test
  void saysHelloAgainToATableThatWasCreatedAgainBehindIt() {
    start(List.of(), true);
    awaitLog("hello 2");
    log.clear();
    table = Optional.of(table(1, new SubmissionId(new UUID(5, 5)), 0));
    awaitLog("hello 2");

    table = Optional.of(table(2, SUBMISSION.id(), 1));
    awaitLog("answered");
  }

  @Test
  void aMessageThatTheTopicNeverTakesFailsTheJob() {
    tooLarge = true;
    start(List.of(committable(1)), false);

    awaitLog("failed: too large");
  }

  @Test
  void sendsWhatItWasGivenBeforeItEnds() throws InterruptedException {
    start(List.of(), false);
    for (long epoch = 1; epoch <= 20; epoch++) {
      sender.send(committable(epoch));
    }
    sender.close(Duration.ofSeconds(20));

    assertThat(log).contains("acknowledged 20");
  }
}
