package io.tributary.coordinator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.Servers;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.PublishOutcome;
import io.tributary.coordinator.core.StatusTail;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Both topics on a real broker. */
class TopicsITCase {
  private static final AtomicInteger TABLES = new AtomicInteger();

  private final TableName table =
      new TableName("topics.t_" + System.nanoTime() + "_" + TABLES.incrementAndGet());
  private final String control = "tributary.control." + table;
  private final String status = "tributary.status." + table;
  private final String servers = Servers.get().endpoints().kafkaBootstrapServers();
  private final KafkaClients clients = new KafkaClients(Map.of("bootstrap.servers", servers));
  private final TableUuid uuid = new TableUuid(UUID.randomUUID());
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable resource : open) {
      resource.close();
    }
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.add(resource);
    return resource;
  }

  /** As the loop does: a topic that was just made is not known everywhere at once. */
  private void ensure() {
    TableTopics topics = topics();
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreException(KafkaUnreachableException.class)
        .until(
            () -> {
              topics.ensure();
              return true;
            });
  }

  private TableTopics topics() {
    return opened(new TableTopics(clients, control, status));
  }

  @Test
  void makesTopicsThatKeepWhatIsNeededAndAcceptsThemAgain() {
    ensure();
    ensure();
  }

  /** As a coordinator does that goes on while an operator decides. */
  @Test
  void theControlTopicIsReadWholeAlsoWhenRecordsAreDeletedMeanwhile() throws Exception {
    ensure();
    Map<String, Object> config = Map.of("bootstrap.servers", servers);
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < 5; i++) {
        producer.send(new ProducerRecord<>(control, new byte[] {1})).get();
      }
    }
    TopicPartition partition = new TopicPartition(control, 0);
    AtomicInteger looks = new AtomicInteger();
    try (Admin admin = clients.admin();
        Consumer<byte[], byte[]> real = clients.consumer("test")) {
      @SuppressWarnings("unchecked")
      Consumer<byte[], byte[]> consumer =
          (Consumer<byte[], byte[]>)
              Proxy.newProxyInstance(
                  Consumer.class.getClassLoader(),
                  new Class<?>[] {Consumer.class},
                  (proxy, method, arguments) -> {
                    Object answer;
                    try {
                      answer = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                    if (method.getName().equals("endOffsets") && looks.incrementAndGet() == 1) {
                      admin
                          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(3)))
                          .all()
                          .get();
                    }
                    return answer;
                  });

      ControlTopicScan scan = ControlTopicScan.of(consumer, control);

      assertThat(looks).hasValue(2);
      assertThat(scan.records().first()).isEqualTo(3);
      assertThat(scan.records().end()).isEqualTo(5);
    }
  }

  @Test
  void refusesTopicsThatLoseRecordsNamingEachCure() throws Exception {
    try (Admin admin = clients.admin()) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(control, 3, (short) 1).configs(Map.of("retention.ms", "604800000")),
                  new NewTopic(status, 1, (short) 1).configs(Map.of("cleanup.policy", "compact"))))
          .all()
          .get();
    }

    assertThatThrownBy(() -> topics().ensure())
        .isInstanceOf(TopicRefusedException.class)
        .hasMessageContaining("Cannot use topic " + control + ": expected 1 partition")
        .hasMessageContaining("expected retention.ms=-1, found 604800000; set it with")
        .hasMessageContaining(
            "Cannot use topic " + status + ": expected cleanup.policy=delete, found compact");
  }

  @Test
  void refusesATransactionTimeoutThatTheBrokerWouldRefuse() {
    ensure();
    KafkaClients slow =
        new KafkaClients(Map.of("bootstrap.servers", servers, "transaction.timeout.ms", "3600000"));

    assertThatThrownBy(() -> opened(new TableTopics(slow, control, status)).ensure())
        .isInstanceOf(TopicRefusedException.class)
        .hasMessageContaining("at most 900000 ms")
        .hasMessageContaining("found 3600000 ms; pass a lower transaction.timeout.ms");
  }

  @Test
  void saysThatKafkaDoesNotAnswer() {
    KafkaClients nobody =
        new KafkaClients(
            Map.of(
                "bootstrap.servers",
                "127.0.0.1:1",
                "default.api.timeout.ms",
                "1000",
                "request.timeout.ms",
                "500"));

    assertThatThrownBy(() -> opened(new TableTopics(nobody, control, status)).ensure())
        .isInstanceOf(KafkaUnreachableException.class);
  }

  @Test
  void readsFromTheNamedOffsetToTheEnd() throws Exception {
    ensure();
    send("not a message", "a-group");
    send("neither", "NOT A GROUP");
    ControlTopic topic = opened(new ControlTopic(clients, control));
    assertThat(topic.isReading()).isFalse();
    topic.readFrom(OptionalLong.empty());

    List<Event> events = untilEnd(topic);

    assertThat(events.get(0))
        .isInstanceOfSatisfying(
            Event.UnreadableRecord.class,
            record -> {
              assertThat(record.offset()).isZero();
              assertThat(record.group()).contains(new GroupName("a-group"));
            });
    assertThat(events.get(1))
        .isInstanceOfSatisfying(
            Event.UnreadableRecord.class, record -> assertThat(record.group()).isEmpty());
    assertThat(events.get(events.size() - 1)).isEqualTo(new Event.EndOfTopic(2));
    topic.readFrom(OptionalLong.of(1));
    assertThat(untilEnd(topic)).hasSize(2);
  }

  @Test
  void refusesAnOffsetWhoseRecordsAreGoneOrNeverWere() throws Exception {
    ensure();
    for (int i = 0; i < 5; i++) {
      send("x", "a");
    }
    topics().deleteControlRecordsBelow(3);
    ControlTopic topic = opened(new ControlTopic(clients, control));

    topic.readFrom(OptionalLong.of(2));
    assertThatThrownBy(() -> untilEnd(topic))
        .isInstanceOf(TopicRefusedException.class)
        .hasMessageContaining("from offset 2, which the table names")
        .hasMessageContaining("found 3 as the first");
    topic.readFrom(OptionalLong.of(6));
    assertThatThrownBy(() -> untilEnd(topic))
        .isInstanceOf(TopicRefusedException.class)
        .hasMessageContaining("found the end at 5");
    topic.readFrom(OptionalLong.of(3));
    assertThat(untilEnd(topic)).hasSize(3);
  }

  @Test
  void findsTheLastMessageBehindAnyNumberOfAbortedOnes() {
    ensure();
    StatusTopic topic = opened(new StatusTopic(clients, table, status, Protections.all()));
    assertThat(topic.open()).isEqualTo(new Event.PublisherOpened(Optional.empty()));
    assertThat(topic.publish(message(1))).isInstanceOf(PublishOutcome.Published.class);
    assertThat(topic.publish(message(2))).isInstanceOf(PublishOutcome.Published.class);
    try (Producer<byte[], byte[]> aborting = clients.producer(StatusTopic.transactionalId(table))) {
      aborting.initTransactions();
      for (int i = 0; i < 20; i++) {
        aborting.beginTransaction();
        aborting.send(new ProducerRecord<>(status, 0, null, CommitStatusCodec.encode(message(9))));
        aborting.flush();
        aborting.abortTransaction();
      }
    }

    assertThat(topic.open())
        .isEqualTo(
            new Event.PublisherOpened(
                Optional.of(new StatusTail(uuid, new RoundNumber(2), new Term(3)))));
    assertThat(read()).extracting(m -> m.round().value()).containsExactly(1L, 2L);
  }

  @Test
  void aFencedPublisherPublishesNothing() {
    ensure();
    StatusTopic old = opened(new StatusTopic(clients, table, status, Protections.all()));
    old.open();
    assertThat(old.publish(message(1))).isInstanceOf(PublishOutcome.Published.class);
    StatusTopic young = opened(new StatusTopic(clients, table, status, Protections.all()));
    young.open();

    assertThat(old.publish(message(2))).isInstanceOf(PublishOutcome.NotConfirmed.class);
    assertThat(young.publish(message(2))).isInstanceOf(PublishOutcome.Published.class);

    assertThat(old.publish(message(3)))
        .isEqualTo(new PublishOutcome.NotConfirmed("the producer is closed"));
    assertThat(read()).extracting(m -> m.round().value()).containsExactly(1L, 2L);
  }

  @Test
  void withoutTheFenceTheOldPublisherPublishesBesideTheNewOne() {
    ensure();
    Protections unfenced = Protections.without(Protection.FENCING);
    StatusTopic old = opened(new StatusTopic(clients, table, status, unfenced));
    old.open();
    StatusTopic young = opened(new StatusTopic(clients, table, status, unfenced));
    young.open();

    assertThat(young.publish(message(1))).isInstanceOf(PublishOutcome.Published.class);
    assertThat(old.publish(message(1))).isInstanceOf(PublishOutcome.Published.class);

    assertThat(read()).extracting(m -> m.round().value()).containsExactly(1L, 1L);
  }

  @Test
  void aMessageThatSlipsInBeforeTheFenceIsInTheTail() throws Exception {
    assertThat(tailOfATakeoverInWhichTheOldPublisherPublishes(Protections.all()))
        .contains(new StatusTail(uuid, new RoundNumber(2), new Term(3)));
  }

  @Test
  void aTailReadBeforeTheFenceMissesAMessageAndHasItPublishedTwice() throws Exception {
    assertThat(
            tailOfATakeoverInWhichTheOldPublisherPublishes(
                Protections.without(Protection.FENCED_BEFORE_TAIL)))
        .contains(new StatusTail(uuid, new RoundNumber(1), new Term(3)));

    assertThat(opened(young).publish(message(2))).isInstanceOf(PublishOutcome.Published.class);
    assertThat(read()).extracting(m -> m.round().value()).containsExactly(1L, 2L, 2L);
  }

  private StatusTopic young;

  /** The request that fences is on its way for so long that the old publisher gets through. */
  private Optional<StatusTail> tailOfATakeoverInWhichTheOldPublisherPublishes(
      Protections protections) throws Exception {
    ensure();
    StatusTopic old = opened(new StatusTopic(clients, table, status, Protections.all()));
    old.open();
    assertThat(old.publish(message(1))).isInstanceOf(PublishOutcome.Published.class);
    FaultProxy proxy = opened(Servers.get().openProxy("kafka"));
    young =
        new StatusTopic(
            new KafkaClients(
                Map.of(
                    "bootstrap.servers",
                    proxy.address(),
                    "request.timeout.ms",
                    "120000",
                    "delivery.timeout.ms",
                    "240000",
                    "max.block.ms",
                    "120000")),
            table,
            status,
            protections);
    Trap fence = proxy.trap(Fault.HOLD_REQUEST, StatusTopic.transactionalId(table));
    CompletableFuture<Event> opening = CompletableFuture.supplyAsync(young::open);
    fence.awaitHit(Duration.ofMinutes(2));
    assertThat(old.publish(message(2))).isInstanceOf(PublishOutcome.Published.class);
    fence.release();
    return ((Event.PublisherOpened) opening.get(2, TimeUnit.MINUTES)).tail();
  }

  @Test
  void anUnfinishedTransactionOfAPredecessorIsOverOnceOpened() {
    ensure();
    Producer<byte[], byte[]> dying = opened(clients.producer(StatusTopic.transactionalId(table)));
    dying.initTransactions();
    dying.beginTransaction();
    dying.send(new ProducerRecord<>(status, 0, null, CommitStatusCodec.encode(message(1))));
    dying.flush();
    StatusTopic topic = opened(new StatusTopic(clients, table, status, Protections.all()));

    assertThat(topic.open()).isEqualTo(new Event.PublisherOpened(Optional.empty()));

    topic.publish(message(1));
    assertThat(read()).hasSize(1);
  }

  @Test
  void refusesATailThatItCannotUnderstand() throws Exception {
    ensure();
    try (KafkaProducer<byte[], byte[]> foreign = producer()) {
      foreign.send(new ProducerRecord<>(status, 0, null, new byte[] {1, 2})).get();
    }

    assertThatThrownBy(
            () -> opened(new StatusTopic(clients, table, status, Protections.all())).open())
        .isInstanceOf(TopicRefusedException.class)
        .hasMessageContaining("its last message");
  }

  private List<Event> untilEnd(ControlTopic topic) {
    List<Event> events = new ArrayList<>();
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (events.stream().noneMatch(Event.EndOfTopic.class::isInstance)) {
      events.addAll(topic.poll(Duration.ofMillis(200)));
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
    return events;
  }

  private KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", servers), new ByteArraySerializer(), new ByteArraySerializer());
  }

  private void send(String value, String key) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      producer
          .send(
              new ProducerRecord<>(
                  control,
                  0,
                  key.getBytes(StandardCharsets.UTF_8),
                  value.getBytes(StandardCharsets.UTF_8)))
          .get();
    }
  }

  private List<CommitStatus> read() {
    TopicPartition partition = new TopicPartition(status, 0);
    List<CommitStatus> messages = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer = clients.consumer("test")) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          messages.add(CommitStatusCodec.decode(record.value()));
        }
      }
    }
    return messages;
  }

  private CommitStatus message(long round) {
    return CommitStatus.of(
        table,
        new TableState(
            uuid,
            new RoundNumber(round),
            new Term(3),
            new OwnerId(UUID.randomUUID()),
            new PlanId(UUID.randomUUID()),
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            false,
            FileCounts.NONE,
            FileCounts.NONE,
            Instant.parse("2026-01-01T00:00:00Z"),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>()));
  }
}
