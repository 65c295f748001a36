package io.tributary.loadtests.bench;

import io.tributary.coordinator.CoordinatorLoop;
import io.tributary.coordinator.LoopMetrics;
import io.tributary.coordinator.Steps;
import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.coordinator.iceberg.TableSettings;
import io.tributary.coordinator.kafka.ControlTopic;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.StatusTopic;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Hello;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SourceProgress;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A table with the product's own coordinator at work on it, between a real Kafka broker and a real
 * Hive metastore, and groups that say what ingest jobs of one shard each say. Rounds are begun one
 * by one, each when everything that is to be in it has been read.
 */
final class BenchTable implements AutoCloseable {
  private static final ServerName SERVER = new ServerName("mysql-bench");
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int READERS = 8;
  private static final int MOST_ATTEMPTS = 5;

  private final TableName name;
  private final HiveCatalog catalog;
  private final int buckets;
  private final List<Group> groups = new ArrayList<>();
  private final KafkaProducer<byte[], byte[]> producer;
  private final ExecutorService readers = Executors.newFixedThreadPool(READERS);
  private final GaugeBoard board = new GaugeBoard();
  private final CoordinatorLoop loop;
  private final Thread thread;
  private final Heap heap = new Heap();
  private final AtomicReference<CompletableFuture<Round>> awaited = new AtomicReference<>();
  private final Table table;
  private final BenchFiles files;

  /** A group of one shard, and how far it is. */
  private static final class Group {
    final GroupName name;
    final ShardId shard;
    final SubmissionId submission = new SubmissionId(UUID.randomUUID());
    Optional<Continuation> last = Optional.empty();

    Group(int shard) {
      this.name = new GroupName("group-" + shard);
      this.shard = new ShardId(shard);
    }
  }

  /**
   * A round that is done.
   *
   * @param commitMs from the decision to the swap's answer
   * @param roundMs from the tick until the message was published
   */
  record Round(TableState state, double commitMs, double roundMs) {}

  /** Used heap after a collection, just before a swap that was asked for. */
  private static final class Heap implements LedgerHooks {
    volatile boolean wanted;
    volatile long usedMiB = -1;

    @Override
    public void beforeSwap(TableMetadata base, TableMetadata next) {
      if (wanted) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        usedMiB = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
        wanted = false;
      }
    }
  }

  /** Tells a waiting bench when the round's steps are done, by the loop's own thread. */
  private final class Watch implements Steps {
    private long decided;
    private double commitMs;
    private Optional<TableState> committed = Optional.empty();
    volatile long ticked;

    @Override
    public void before(Action action) {
      if (action instanceof Action.CommitRound) {
        decided = System.nanoTime();
      }
    }

    @Override
    public void after(Action action, Event answer) {
      if (action instanceof Action.CommitRound
          && answer instanceof Event.SwapAnswered swap
          && swap.outcome() instanceof SwapOutcome.Done done) {
        commitMs = (System.nanoTime() - decided) / 1e6;
        committed = Optional.of(done.state());
      } else if (action instanceof Action.Publish && committed.isPresent()) {
        CompletableFuture<Round> waiting = awaited.get();
        if (waiting != null && committed.get().dataRound()) {
          waiting.complete(
              new Round(committed.get(), commitMs, (System.nanoTime() - ticked) / 1e6));
        }
        committed = Optional.empty();
      }
    }
  }

  private final Watch watch = new Watch();

  /**
   * Creates the table by its groups' hellos, and waits until all are answered.
   *
   * @param properties of the table, beside the product's own
   */
  BenchTable(
      String name,
      StackEndpoints stack,
      int groupCount,
      int buckets,
      Map<String, String> properties,
      TableMaintenance.Limits limits)
      throws IOException, InterruptedException {
    this.name = new TableName("bench." + name);
    this.buckets = buckets;
    this.catalog = Catalogs.open(stack, "coordinator-" + name);
    for (int i = 0; i < groupCount; i++) {
      groups.add(new Group(i));
    }
    Map<String, String> kafka = Map.of("bootstrap.servers", stack.kafkaBootstrapServers());
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                stack.kafkaBootstrapServers(),
                "acks",
                "all",
                "max.request.size",
                8 << 20),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    this.loop = loop(new KafkaClients(kafka), properties, limits);
    this.thread = new Thread(loop, "bench-coordinator-" + name);
    thread.setDaemon(true);
    thread.start();
    await("the topics", () -> board.text("stage").equals("WAITING_FOR_HELLO"));
    groups.forEach(this::hello);
    producer.flush();
    await(
        "answers to all hellos",
        () -> {
          loop.tick();
          return answered();
        });
    this.table = catalog.loadTable(TableIdentifier.parse(this.name.value()));
    this.files = new BenchFiles(table);
  }

  private CoordinatorLoop loop(
      KafkaClients kafka, Map<String, String> properties, TableMaintenance.Limits limits) {
    Map<ShardId, Members.Member> members = new TreeMap<>();
    groups.forEach(group -> members.put(group.shard, Members.Member.active(group.name, SERVER)));
    TableLedger ledger =
        new TableLedger(
            name, TableLedger.in(catalog, name), false, readers, heap, Protections.all());
    String control = "tributary.control." + name;
    String status = "tributary.status." + name;
    return new CoordinatorLoop(
        new CoordinatorLoop.Parts(
            name,
            new CoordinatorCore(
                CoreSettings.of(name, Duration.ofSeconds(1), 16, Duration.ofMinutes(10)),
                Members.of(0, members),
                Protections.all()),
            ledger,
            new TableCreator(catalog, name, new TableSettings(Optional.empty(), properties)),
            new TableMaintenance(
                name, ledger, TableLedger.in(catalog, name), Clock.systemUTC(), limits),
            new TableTopics(kafka, control, status),
            new ControlTopic(kafka, control),
            new StatusTopic(kafka, name, status, Protections.all()),
            Optional::empty,
            () -> new Term(0),
            message -> {},
            new LoopMetrics(board, name, Clock.systemUTC()),
            Clock.systemUTC(),
            UUID::randomUUID,
            watch));
  }

  private boolean answered() {
    try {
      return TableStateCodec.decode(
              catalog.loadTable(TableIdentifier.parse(name.value())).properties())
          .filter(
              state ->
                  groups.stream()
                      .allMatch(
                          group ->
                              state
                                  .group(group.name)
                                  .filter(known -> known.submission().equals(group.submission))
                                  .isPresent()))
          .isPresent();
    } catch (NoSuchTableException e) {
      return false;
    }
  }

  private void hello(Group group) {
    send(
        new Hello(
            name,
            group.name,
            new Incarnation(1),
            group.submission,
            Optional.empty(),
            new TableProposal(SchemaParser.toJson(Catalogs.schema()), "shard_id", "id", buckets),
            List.of(group.shard),
            0,
            Instant.now()));
  }

  private void send(ControlMessage message) {
    producer.send(
        new ProducerRecord<>(
            "tributary.control." + name,
            0,
            message.group().value().getBytes(StandardCharsets.UTF_8),
            ControlMessageCodec.encode(message)));
  }

  /** Files of all groups, their committables, and one round of them all. */
  Round round() throws IOException, InterruptedException {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      Optional<Round> round = attempt();
      if (round.isPresent()) {
        return round.get();
      }
    }
    throw new IllegalStateException(
        "Cannot measure a round of table %s: expected all %d data files in it, found less %d times"
            .formatted(name, groups.size() * buckets, MOST_ATTEMPTS));
  }

  /**
   * @return absent when an earlier tick began the round before everything was read
   */
  private Optional<Round> attempt() throws IOException, InterruptedException {
    await("an end of the last round", () -> board.number("pendingEpochs") == 0);
    CompletableFuture<Round> done = new CompletableFuture<>();
    awaited.set(done);
    files.nextLinks();
    String prefix = UUID.randomUUID().toString();
    for (Group group : groups) {
      send(committable(group, files.slice(files.write(prefix, group.shard.value(), buckets))));
    }
    producer.flush();
    await(
        "all committables", () -> done.isDone() || board.number("pendingEpochs") == groups.size());
    boolean early = done.isDone();
    if (!early) {
      watch.ticked = System.nanoTime();
      loop.tick();
      await("a round", done::isDone);
    }
    awaited.set(null);
    Round round = done.join();
    if (!early && round.state().added().dataFiles() == (long) groups.size() * buckets) {
      return Optional.of(round);
    }
    long sent = groups.get(0).last.orElseThrow().epoch().value();
    await(
        "the rest of a round",
        () -> {
          loop.tick();
          return committed(sent);
        });
    return Optional.empty();
  }

  private boolean committed(long epoch) {
    TableState state =
        TableStateCodec.decode(catalog.loadTable(TableIdentifier.parse(name.value())).properties())
            .orElseThrow();
    return groups.stream()
        .allMatch(
            group ->
                state
                    .group(group.name)
                    .filter(known -> known.epoch().value() == epoch)
                    .isPresent());
  }

  private Committable committable(Group group, Slice slice) {
    TableUuid uuid = new TableUuid(table.uuid());
    Epoch epoch = group.last.map(before -> before.epoch().next()).orElse(new Epoch(1));
    ChainHash previous =
        group.last.map(Continuation::chain).orElse(ChainHash.first(uuid, group.name));
    List<ShardProgress> shards =
        List.of(
            new ShardProgress(
                group.shard,
                SERVER,
                ShardPhase.ACTIVE,
                Optional.of(new Watermark(Instant.now())),
                0,
                0,
                Optional.empty()));
    List<SourceProgress> sources =
        List.of(
            new SourceProgress(
                SERVER, Optional.of(SourcePosition.of("bin.000001", 1_000 * epoch.value()))));
    ChainHash chain =
        ChainHash.of(uuid, group.name, epoch, previous, List.of(slice), shards, sources);
    group.last = Optional.of(new Continuation(epoch, chain));
    return new Committable(
        name,
        uuid,
        group.name,
        new Incarnation(1),
        group.submission,
        epoch,
        previous,
        chain,
        table.schema().schemaId(),
        table.spec().specId(),
        2,
        0,
        epoch.value(),
        Instant.now(),
        List.of(slice),
        shards,
        sources);
  }

  /** One more round, for its memory: in MiB after a collection, when all is held. */
  long heapMiB() throws IOException, InterruptedException {
    heap.wanted = true;
    round();
    return heap.usedMiB;
  }

  long conflicts() {
    return board.count("commitConflicts");
  }

  long expiredSnapshots() {
    return board.count("expiredSnapshotsCount");
  }

  long mergedManifests() {
    return board.count("mergedManifestsCount");
  }

  /** As the catalog has it now. */
  Table table() {
    return catalog.loadTable(TableIdentifier.parse(name.value()));
  }

  private void await(String what, BooleanSupplier reached) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!reached.getAsBoolean()) {
      if (!thread.isAlive() || System.nanoTime() > end) {
        throw new IllegalStateException(
            "Cannot measure table %s: expected %s, found the coordinator %s in stage %s"
                .formatted(
                    name,
                    what,
                    loop.end().map(how -> "ended: " + how).orElse("at work"),
                    board.text("stage")));
      }
      Thread.sleep(1);
    }
  }

  @Override
  public void close() throws InterruptedException, IOException {
    loop.close();
    thread.join(TimeUnit.MINUTES.toMillis(1));
    producer.close();
    readers.shutdownNow();
    catalog.dropTable(TableIdentifier.parse(name.value()), false);
    catalog.close();
  }
}
