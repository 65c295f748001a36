package io.tributary.coordinator;

import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.iceberg.HiveSwapProbe;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.coordinator.iceberg.TableSettings;
import io.tributary.coordinator.kafka.ControlTopic;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.StatusTopic;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.protocol.Acceptance;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.Term;
import io.tributary.protocol.UnreadableMessageException;
import io.tributary.registry.CatalogSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.LeaseOwner;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens what a table's loop works with and runs it on a thread of its own. Secrets are resolved
 * here, in the process that opens the connections, and go nowhere else.
 */
final class TableWorker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableWorker.class);
  private static final int READERS = 8;
  private static final long GRACE_MS = 20_000;
  private static final long DECISION_POLL_MS = 5_000;

  private final TableName table;
  private final Catalog catalog;
  private final ExecutorService readers;
  private final TableJob job;
  private final CoordinatorLoop loop;
  private final Thread thread;
  private final AtomicReference<RegistrySession> session = new AtomicReference<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /**
   * @param onPublished takes each message that is out, on the loop's thread
   * @param onEnd told once how the loop ended, with the fault if one ended it
   */
  TableWorker(
      TableJob job, MetricGroup metrics, Consumer<CommitStatus> onPublished, EndListener onEnd) {
    this.job = job;
    this.table = job.name();
    Clock clock = Clock.systemUTC();
    Registry registry = job.registry();
    TableSpec spec = registry.table(table);
    LOG.info(
        "Coordinating table {}: catalog {} at {}, control topic {}, status topic {}, registry version {}, {}",
        table,
        registry.catalog().name(),
        registry.catalog().uri(),
        spec.controlTopic(),
        spec.statusTopic(),
        registry.versionNumber(),
        registry.coordinator());
    this.readers =
        Executors.newFixedThreadPool(
            READERS,
            task -> {
              Thread made = new Thread(task, "tributary-files-" + table);
              made.setDaemon(true);
              return made;
            });
    Configuration hadoop = hadoop(registry.catalog());
    this.catalog = open(registry.catalog(), hadoop);
    TableLedger ledger =
        new TableLedger(
            table,
            TableLedger.in(catalog, table),
            false,
            readers,
            LedgerHooks.NONE,
            Protections.all());
    KafkaClients kafka = new KafkaClients(registry.kafka().resolveProperties());
    this.loop =
        new CoordinatorLoop(
            new CoordinatorLoop.Parts(
                table,
                new CoordinatorCore(
                    TableJob.settings(table, registry.coordinator()),
                    TableJob.members(registry, table),
                    Protections.all()),
                ledger,
                new TableCreator(
                    catalog, table, new TableSettings(spec.owner(), spec.properties().resolve())),
                new TableMaintenance(
                    table,
                    ledger,
                    TableLedger.in(catalog, table),
                    clock,
                    TableMaintenance.Limits.DEFAULT),
                new TableTopics(kafka, spec.controlTopic(), spec.statusTopic()),
                new ControlTopic(kafka, spec.controlTopic()),
                new StatusTopic(kafka, table, spec.statusTopic(), Protections.all()),
                new HiveSwapProbe(hadoop, table)::problem,
                this::highestKnownTerm,
                onPublished,
                new LoopMetrics(metrics, table, clock),
                clock,
                UUID::randomUUID,
                Steps.NONE));
    this.thread =
        new Thread(
            () -> {
              try {
                loop.run();
                CoordinatorLoop.End how = loop.end().orElseThrow();
                onEnd.ended(how, Optional.empty());
                if (how == CoordinatorLoop.End.STOPPED) {
                  releaseLease();
                  awaitDecision().ifPresent(decided -> onEnd.ended(how, Optional.of(decided)));
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (RuntimeException | Error e) {
                onEnd.ended(CoordinatorLoop.End.STOPPED, Optional.of(e));
              }
            },
            "tributary-coordinator-" + table);
  }

  /** Told how a loop ended. */
  interface EndListener {
    void ended(CoordinatorLoop.End how, Optional<Throwable> fault);
  }

  void start() {
    job.zooKeeperAddress()
        .ifPresent(
            address ->
                session.set(
                    new RegistrySession(
                        address,
                        table,
                        new LeaseOwner(
                            job.submission(),
                            hostName(),
                            Instant.now(),
                            "coordinator of table " + table),
                        loop::registryChanged)));
    thread.start();
  }

  private Term highestKnownTerm() {
    RegistrySession tied = session.get();
    return tied == null ? new Term(0) : tied.highestKnownTerm();
  }

  /** A coordinator that was stopped works on nothing: whoever decides about the table may begin. */
  private void releaseLease() {
    RegistrySession tied = session.getAndSet(null);
    if (tied != null) {
      tied.close();
    }
  }

  /**
   * Waits until an operator has decided about the table.
   *
   * @return what makes the task begin anew; absent when the worker is closed first
   */
  private Optional<RuntimeException> awaitDecision() throws InterruptedException {
    Optional<Optional<Acceptance>> before = decision();
    while (!closing.await(DECISION_POLL_MS, TimeUnit.MILLISECONDS)) {
      Optional<Optional<Acceptance>> now = decision();
      if (before.isEmpty()) {
        before = now;
      } else if (now.isPresent() && !now.equals(before) && now.get().isPresent()) {
        return Optional.of(
            new IllegalStateException(
                "stopped for a decision about the table, which %s made at %s; begins anew"
                    .formatted(now.get().get().by(), now.get().get().at())));
      }
    }
    return Optional.empty();
  }

  /** The table's last decision, if there was one; absent when nobody can say. */
  private Optional<Optional<Acceptance>> decision() {
    try {
      return Optional.of(
          TableStateCodec.decode(
                  catalog.loadTable(TableIdentifier.parse(table.value())).properties())
              .flatMap(TableState::acceptance));
    } catch (NoSuchTableException | UnreadableMessageException e) {
      return Optional.of(Optional.empty());
    } catch (RuntimeException e) {
      LOG.debug("Table {} cannot be asked for a decision now", table, e);
      return Optional.empty();
    }
  }

  void tick() {
    loop.tick();
  }

  /** Every property, since Hive's client and the file systems look for theirs there. */
  private static Configuration hadoop(CatalogSpec spec) {
    Configuration hadoop = new Configuration();
    // Hive's own default is ten minutes, for which everything would stand still.
    hadoop.set("hive.metastore.client.socket.timeout", "60s");
    spec.properties().resolve().forEach(hadoop::set);
    hadoop.set("hive.metastore.uris", spec.uri());
    return hadoop;
  }

  private static Catalog open(CatalogSpec spec, Configuration hadoop) {
    Map<String, String> properties = spec.resolveProperties();
    properties.put(CatalogUtil.ICEBERG_CATALOG_TYPE, spec.type().word());
    properties.put(CatalogProperties.CACHE_ENABLED, "false");
    return CatalogUtil.buildIcebergCatalog(spec.name(), properties, hadoop);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown host";
    }
  }

  /** Ends the loop after its current step; a step that hangs is interrupted. */
  @Override
  public void close() {
    loop.close();
    closing.countDown();
    try {
      thread.join(GRACE_MS);
      if (thread.isAlive()) {
        LOG.warn("The coordinator of table {} did not end in {} ms; interrupted", table, GRACE_MS);
        thread.interrupt();
        thread.join(GRACE_MS);
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
    releaseLease();
    readers.shutdownNow();
    if (catalog instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        LOG.debug("Closing the catalog of table {}", table, e);
      }
    }
  }
}
