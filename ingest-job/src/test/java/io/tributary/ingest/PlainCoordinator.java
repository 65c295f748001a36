package io.tributary.ingest;

import static org.awaitility.Awaitility.await;

import io.tributary.ingest.table.OrdersTable;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateProperties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Commits one group's epochs as a coordinator would when nothing ever goes wrong on its side: it
 * answers hellos, drops what was sent twice, and stops at anything else that does not fit.
 */
final class PlainCoordinator implements AutoCloseable {
  private final OrdersTable orders;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<Committable> committed = new CopyOnWriteArrayList<>();
  private final List<Hello> hellos = new CopyOnWriteArrayList<>();
  private final TreeMap<ShardId, ShardState> shards = new TreeMap<>();
  private final TreeMap<SourceKey, SourcePosition> sources = new TreeMap<>();
  private final Thread thread;
  private volatile Throwable failure;
  private volatile boolean closed;
  private volatile boolean answering = true;
  private volatile int duplicates;
  private volatile long handled;
  private final TopicPartition partition;
  private GroupState group;
  private long round = 1;

  PlainCoordinator(OrdersTable orders, String bootstrapServers, String topic) {
    this.orders = orders;
    Properties properties = new Properties();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    properties.put(
        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    properties.put(
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    this.consumer = new KafkaConsumer<>(properties);
    this.partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    this.thread = new Thread(this::run, "plain-coordinator");
    thread.start();
  }

  List<Committable> committed() {
    check();
    return committed;
  }

  List<Hello> hellos() {
    check();
    return hellos;
  }

  int duplicates() {
    return duplicates;
  }

  /** Whether to handle what comes, hellos included. */
  void setAnswering(boolean on) {
    answering = on;
  }

  /** Alters the table as the coordinator does: it alone commits, so that nothing races it. */
  void alterTable(Consumer<Table> change) {
    synchronized (orders) {
      change.accept(orders.load());
    }
  }

  /** Waits until everything that is on the topic now is handled. */
  void awaitCaughtUp(String bootstrapServers) throws Exception {
    long end;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      end =
          admin
              .listOffsets(Map.of(partition, OffsetSpec.latest()))
              .partitionResult(partition)
              .get()
              .offset();
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              check();
              return handled >= end;
            });
  }

  void check() {
    if (failure != null) {
      throw new AssertionError("The coordinator has stopped", failure);
    }
  }

  private void run() {
    try (consumer) {
      while (!closed) {
        if (!answering) {
          Thread.sleep(20);
          continue;
        }
        long next = handled;
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(50));
        synchronized (orders) {
          for (ConsumerRecord<byte[], byte[]> record : records) {
            handle(record.offset(), ControlMessageCodec.decode(record.value()));
            next = record.offset() + 1;
          }
          if (next > handled) {
            writeState(next);
            handled = next;
          }
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void handle(long offset, ControlMessage message) {
    if (message instanceof Hello hello) {
      hellos.add(hello);
      answer(offset, hello);
    } else if (message instanceof Committable committable) {
      commit(committable);
    }
  }

  private void answer(long offset, Hello hello) {
    TableUuid uuid = new TableUuid(orders.load().uuid());
    Epoch epoch = group == null ? new Epoch(0) : group.epoch();
    ChainHash chain = group == null ? ChainHash.first(uuid, hello.group()) : group.chain();
    HelloAnswer answer =
        hello.continuation().isEmpty()
            ? HelloAnswer.START_FROM_TABLE
            : hello.continuation().get().chain().equals(chain)
                ? HelloAnswer.CONTINUE
                : HelloAnswer.REFUSED;
    group =
        new GroupState(
            hello.incarnation(),
            hello.submission(),
            offset,
            answer,
            epoch,
            epoch,
            chain,
            Optional.empty());
  }

  private void commit(Committable committable) {
    if (group == null || committable.incarnation().compareTo(group.incarnation()) > 0) {
      throw new IllegalStateException("No hello before " + committable);
    }
    if (committable.incarnation().compareTo(group.incarnation()) < 0) {
      return;
    }
    if (committable.epoch().compareTo(group.epoch()) <= 0) {
      duplicates++;
      return;
    }
    if (!committable.previous().equals(group.chain())
        || !committable.epoch().equals(group.epoch().next())) {
      throw new IllegalStateException(
          "Expected the epoch after %s, found %s".formatted(group.epoch(), committable.epoch()));
    }
    for (Slice slice : committable.slices()) {
      if (!slice.emptyShards().isEmpty() && !orders.rows().isEmpty()) {
        throw new IllegalStateException("Emptying a table that has rows");
      }
      if (!slice.counts().isEmpty()) {
        orders.commit(slice);
      }
    }
    group =
        new GroupState(
            group.incarnation(),
            group.submission(),
            group.helloOffset(),
            group.answer(),
            group.continuedFrom(),
            committable.epoch(),
            committable.chain(),
            Optional.empty());
    for (ShardProgress shard : committable.shards()) {
      shards.put(
          shard.shard(),
          new ShardState(
              committable.group(),
              shard.server(),
              shard.phase(),
              shard.watermark(),
              true,
              shard.phase() == ShardPhase.ACTIVE,
              shard.copiedRows(),
              shard.estimatedRows(),
              shard.haltReason()));
    }
    committable
        .sources()
        .forEach(
            source ->
                source
                    .position()
                    .ifPresent(
                        at ->
                            sources.put(new SourceKey(committable.group(), source.server()), at)));
    committed.add(committable);
  }

  private void writeState(long controlOffset) {
    Table table = orders.load();
    TableState state =
        new TableState(
            new TableUuid(table.uuid()),
            new RoundNumber(round++),
            new Term(1),
            new OwnerId(new UUID(1, 1)),
            new PlanId(UUID.randomUUID()),
            0,
            controlOffset,
            Optional.empty(),
            Optional.empty(),
            false,
            FileCounts.NONE,
            FileCounts.NONE,
            Instant.now(),
            new TreeMap<>(Map.<GroupName, GroupState>of(new GroupName("g"), group)),
            shards,
            sources);
    UpdateProperties update = table.updateProperties();
    Map<String, String> properties = TableStateCodec.encode(state);
    table.properties().keySet().stream()
        .filter(name -> name.startsWith(TableStateCodec.PREFIX) && !properties.containsKey(name))
        .forEach(update::remove);
    properties.forEach(update::set);
    update.commit();
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.join(10_000);
  }
}
