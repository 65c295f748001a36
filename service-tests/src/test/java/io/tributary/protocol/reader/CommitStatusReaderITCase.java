package io.tributary.protocol.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.NotCoveredReason;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TopicNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a real broker, with transactions as the coordinator makes them. */
@Timeout(120)
class CommitStatusReaderITCase {
  private static final Duration SHORT = Duration.ofMillis(1_500);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir static Path folder;
  private static TestBroker broker;

  /** A table of its own for each test, so that they cannot disturb each other. */
  private final TableName table = new TableName("shop.t" + TABLES.incrementAndGet());

  @BeforeAll
  static void start() throws Exception {
    broker = new TestBroker(folder);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  // ---- the last status

  @Test
  void withoutATopicThereIsNoStatusAndNoTopicIsMade() throws Exception {
    try (CommitStatusReader reader = reader()) {
      assertThat(reader.lastStatus(table)).isEmpty();
    }
    assertThat(broker.admin().listTopics().names().get()).doesNotContain(TopicNames.status(table));
  }

  @Test
  void anEmptyTopicHasNoStatus() {
    topic();
    try (CommitStatusReader reader = reader()) {
      assertThat(reader.lastStatus(table)).isEmpty();
    }
  }

  @Test
  void theLastCommittedMessageIsFoundBeforeItsMarker() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1));
      assertThat(reader.lastStatus(table)).contains(round(1));
      publisher.commit(round(2)).commit(round(3));
      assertThat(reader.lastStatus(table)).contains(round(3));
    }
  }

  @Test
  void messagesOfAbortedTransactionsAreNeverSeenHoweverMany() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.abort(round(1));
      assertThat(reader.lastStatus(table)).isEmpty();
      publisher.commit(round(1));
      for (int i = 0; i < 100; i++) {
        publisher.abort(round(2));
      }
      assertThat(reader.lastStatus(table)).contains(round(1));
    }
  }

  @Test
  void aMessageOfAnOpenTransactionIsSeenOnceItIsCommitted() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1)).leaveOpen(round(2));
      assertThat(reader.lastStatus(table)).contains(round(1));
      publisher.commitOpen();
      assertThat(reader.lastStatus(table)).contains(round(2));
    }
  }

  @Test
  void theLastOfManyMessagesIsFound() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      for (int i = 1; i <= 200; i++) {
        publisher.commit(round(i));
      }
      assertThat(reader.lastStatus(table)).contains(round(200));
    }
  }

  @Test
  void aTopicWhoseMessagesAreAllDeletedHasNoStatus() throws Exception {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1)).commit(round(2));
      delete(4);
      assertThat(reader.lastStatus(table)).isEmpty();
      publisher.commit(round(3));
      assertThat(reader.lastStatus(table)).contains(round(3));
    }
  }

  // ---- waiting

  @Test
  void aTimeThatIsCoveredIsConfirmedByTheLastMessage() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1)).commit(round(2)).commit(round(3));
      assertThat(reader.awaitWatermark(table, Statuses.T0.plusSeconds(1), LONG))
          .isEqualTo(round(3));
    }
  }

  @Test
  void waitingReturnsTheFirstRoundThatReachesTheTime() throws Exception {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1));
      CompletableFuture<CommitStatus> waiting =
          CompletableFuture.supplyAsync(
              () -> reader.awaitWatermark(table, Statuses.T0.plusSeconds(4), LONG));
      Thread.sleep(500);
      publisher.abort(round(5)).commit(round(2)).commit(round(3)).leaveOpen(round(4));
      Thread.sleep(500);
      assertThat(waiting).isNotDone();
      publisher.commitOpen();
      publisher.commit(round(5));
      assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(round(4));
    }
  }

  @Test
  void aTopicThatIsNotThereYetIsWaitedFor() throws Exception {
    try (CommitStatusReader reader = reader()) {
      CompletableFuture<CommitStatus> waiting =
          CompletableFuture.supplyAsync(
              () -> reader.awaitWatermark(table, Statuses.T0.plusSeconds(2), LONG));
      Thread.sleep(700);
      topic();
      try (TestBroker.Publisher publisher = publisher()) {
        publisher.commit(round(1)).commit(round(2)).commit(round(3));
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(round(2));
      }
    }
  }

  @Test
  void aTimeoutSaysWhatThereIs() {
    try (CommitStatusReader reader = reader()) {
      assertThatThrownBy(() -> reader.awaitWatermark(table, Statuses.T0, SHORT))
          .isInstanceOf(WatermarkNotReachedException.class)
          .hasMessageEndingWith("found no topic " + TopicNames.status(table));
      topic();
      assertThatThrownBy(() -> reader.awaitWatermark(table, Statuses.T0, SHORT))
          .isInstanceOf(WatermarkNotReachedException.class)
          .hasMessageEndingWith("found no message on topic " + TopicNames.status(table));
      try (TestBroker.Publisher publisher = publisher()) {
        publisher.commit(round(1)).leaveOpen(round(2));
        assertThatThrownBy(() -> reader.awaitWatermark(table, Statuses.T0.plusSeconds(2), SHORT))
            .isInstanceOf(WatermarkNotReachedException.class)
            .hasMessageContaining("found 2026-11-30T02:00:01Z, 1 s before it, in round 1");
      }
    }
  }

  @Test
  void shardsThatCatchUpAreWaitedForUnlessTheyAreAllowed() throws Exception {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      CommitStatus first =
          Statuses.round(1).of(table).without(7, NotCoveredReason.INITIAL_SNAPSHOT).status();
      publisher.commit(first);
      assertThat(reader.awaitWatermark(table, Statuses.T0, LONG, true)).isEqualTo(first);
      CompletableFuture<CommitStatus> waiting =
          CompletableFuture.supplyAsync(() -> reader.awaitWatermark(table, Statuses.T0, LONG));
      Thread.sleep(500);
      assertThat(waiting).isNotDone();
      publisher.commit(round(2));
      assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(round(2));
    }
  }

  @Test
  void aHaltedShardEndsTheWaitAtOnce() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(Statuses.round(1).of(table).without(7, NotCoveredReason.HALTED).status());
      assertThatThrownBy(() -> reader.awaitWatermark(table, Statuses.T0, LONG))
          .isInstanceOf(ShardsNotCoveredException.class)
          .hasMessageContaining("found shard 7 (halted) in round 1");
    }
  }

  @Test
  void aMissingRoundEndsTheWait() throws Exception {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1));
      CompletableFuture<CommitStatus> waiting =
          CompletableFuture.supplyAsync(
              () -> reader.awaitWatermark(table, Statuses.T0.plusSeconds(9), LONG));
      Thread.sleep(500);
      publisher.commit(round(3));
      assertThat(waiting.handle((status, error) -> error).get(30, TimeUnit.SECONDS))
          .rootCause()
          .isInstanceOf(StatusSequenceException.class)
          .hasMessageContaining("expected round 2, found round 3");
    }
  }

  @Test
  void closingTheReaderEndsAWait() throws Exception {
    topic();
    CommitStatusReader reader = reader();
    CompletableFuture<CommitStatus> waiting =
        CompletableFuture.supplyAsync(() -> reader.awaitWatermark(table, Statuses.T0, LONG));
    Thread.sleep(700);
    reader.close();
    assertThat(waiting.handle((status, error) -> error).get(10, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(StatusTopicException.class)
        .hasMessageContaining("expected an open reader, found it closed");
    assertThatThrownBy(() -> reader.lastStatus(table))
        .hasMessageContaining("expected an open reader, found it closed");
  }

  // ---- following

  @Test
  void aTailFromTheBeginningDeliversEachCommittedRoundOnceAndInOrder() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader();
        CommitStatusTail tail = reader.tail(table, TailStart.beginning())) {
      List<CommitStatus> expected = new ArrayList<>();
      for (int i = 1; i <= 30; i++) {
        publisher.abort(round(i)).commit(round(i));
        expected.add(round(i));
      }
      List<CommitStatus> found = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        found.add(tail.next());
      }
      assertThat(found).isEqualTo(expected);
      assertThat(tail.poll(Duration.ofMillis(300))).isEmpty();
    }
  }

  @Test
  void aTailCanBeginAtTheLastOrBehindIt() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1)).commit(round(2));
      try (CommitStatusTail last = reader.tail(table, TailStart.last());
          CommitStatusTail next = reader.tail(table, TailStart.next())) {
        publisher.commit(round(3));
        assertThat(last.next()).isEqualTo(round(2));
        assertThat(last.next()).isEqualTo(round(3));
        assertThat(next.next()).isEqualTo(round(3));
      }
    }
  }

  @Test
  void aTailGoesOnBehindAnyRoundThatWasSeen() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      for (int i = 1; i <= 20; i++) {
        publisher.abort(round(i)).commit(round(i));
      }
      for (int seen : new int[] {0, 1, 9, 18, 19}) {
        try (CommitStatusTail tail = reader.tail(table, TailStart.after(new RoundNumber(seen)))) {
          assertThat(tail.next()).isEqualTo(round(seen + 1));
        }
      }
      try (CommitStatusTail tail = reader.tail(table, TailStart.after(new RoundNumber(20)))) {
        assertThat(tail.poll(Duration.ofMillis(300))).isEmpty();
        publisher.commit(round(21));
        assertThat(tail.next()).isEqualTo(round(21));
      }
    }
  }

  @Test
  void roundsThatWereDeletedMeanwhileAreReportedAsMissing() throws Exception {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commit(round(1)).commit(round(2)).commit(round(3));
      delete(4);
      try (CommitStatusTail tail = reader.tail(table, TailStart.after(new RoundNumber(1)))) {
        assertThatThrownBy(tail::next)
            .isInstanceOf(StatusSequenceException.class)
            .hasMessage(
                "Cannot follow the rounds of table "
                    + table
                    + ": expected round 2, found round 3 at offset 4: 1 missing");
      }
    }
  }

  @Test
  void faultsAreReportedAndTheMessagesStillDelivered() {
    topic();
    List<String> faults = new ArrayList<>();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader();
        CommitStatusTail tail =
            reader.tail(table, TailStart.beginning(), fault -> faults.add(fault.toString()))) {
      publisher.commit(round(1)).commit(round(1)).commit(round(3));
      assertThat(tail.next()).isEqualTo(round(1));
      assertThat(tail.next()).isEqualTo(round(1));
      assertThat(tail.next()).isEqualTo(round(3));
      assertThat(faults)
          .containsExactly(
              "expected round 2, found round 1 again at offset 2",
              "expected round 2, found round 3 at offset 4: 1 missing");
    }
  }

  @Test
  void closingATailEndsItsStream() throws Exception {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      CommitStatusTail tail = reader.tail(table, TailStart.beginning());
      CompletableFuture<List<CommitStatus>> all =
          CompletableFuture.supplyAsync(
              () -> {
                try (Stream<CommitStatus> stream = tail.stream()) {
                  return stream.toList();
                }
              });
      publisher.commit(round(1)).commit(round(2));
      Thread.sleep(1_500);
      tail.close();
      assertThat(all.get(10, TimeUnit.SECONDS)).containsExactly(round(1), round(2));
      assertThat(tail.hasNext()).isFalse();
      assertThat(tail.poll(SHORT)).isEmpty();
    }
  }

  @Test
  void aTailOfATopicThatIsNotThereYetDeliversItFromItsBeginning() throws Exception {
    try (CommitStatusReader reader = reader();
        CommitStatusTail tail = reader.tail(table, TailStart.next())) {
      assertThat(tail.poll(Duration.ofMillis(200))).isEmpty();
      topic();
      try (TestBroker.Publisher publisher = publisher()) {
        publisher.commit(round(1));
        assertThat(tail.poll(LONG)).isEqualTo(Optional.of(round(1)));
      }
    }
  }

  // ---- what is refused

  @Test
  void whatIsNoMessageOfTheTableIsRefusedWithItsOffset() {
    topic();
    String topic = TopicNames.status(table);
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader = reader()) {
      publisher.commitBytes(topic, "{\"type\":\"x\"}".getBytes(StandardCharsets.UTF_8));
      assertThatThrownBy(() -> reader.lastStatus(table))
          .isInstanceOf(StatusTopicException.class)
          .hasMessageStartingWith("Cannot read offset 0 of topic " + topic + ": ");
      publisher.commitBytes(topic, null);
      assertThatThrownBy(() -> reader.lastStatus(table)).hasMessageContaining("found none");
    }
  }

  @Test
  void aMessageOfAnotherTableIsRefused() {
    topic();
    try (TestBroker.Publisher publisher = publisher();
        CommitStatusReader reader =
            new CommitStatusReader(broker.readerSettings(), other -> TopicNames.status(table))) {
      publisher.commit(round(1));
      assertThatThrownBy(() -> reader.lastStatus(Statuses.TABLE))
          .isInstanceOf(StatusTopicException.class)
          .hasMessageContaining(
              "expected a message of table shop.products, found one of table " + table);
    }
  }

  @Test
  void aTopicOfSeveralPartitionsIsRefused() {
    broker.createTopic(TopicNames.status(table), 3);
    try (CommitStatusReader reader = reader()) {
      assertThatThrownBy(() -> reader.lastStatus(table))
          .isInstanceOf(StatusTopicException.class)
          .hasMessageEndingWith("expected one partition, found 3");
    }
  }

  @Test
  void anUnreachableKafkaIsNamed() {
    try (CommitStatusReader reader =
        new CommitStatusReader(Map.of("bootstrap.servers", "127.0.0.1:9"))) {
      assertThatThrownBy(() -> reader.awaitWatermark(table, Statuses.T0, SHORT))
          .isInstanceOf(WatermarkNotReachedException.class)
          .hasMessageEndingWith("found no answer from Kafka at 127.0.0.1:9");
    }
    try (CommitStatusReader reader =
        new CommitStatusReader(Map.of("bootstrap.servers", "no-such-host.invalid:9092"))) {
      assertThatThrownBy(() -> reader.lastStatus(table))
          .isInstanceOf(StatusTopicException.class)
          .hasMessageContaining("no-such-host.invalid:9092");
    }
  }

  private static CommitStatusReader reader() {
    return new CommitStatusReader(broker.readerSettings());
  }

  private TestBroker.Publisher publisher() {
    return broker.publisher("coordinator-" + table);
  }

  private void topic() {
    broker.createTopic(TopicNames.status(table), 1);
  }

  private void delete(long before) throws Exception {
    broker
        .admin()
        .deleteRecords(
            Map.of(
                new TopicPartition(TopicNames.status(table), 0),
                RecordsToDelete.beforeOffset(before)))
        .all()
        .get();
  }

  private CommitStatus round(long round) {
    return Statuses.round(round).of(table).status();
  }
}
