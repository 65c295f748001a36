package io.tributary.coordinator;

import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.iceberg.HiveSwapProbe;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableSettings;
import io.tributary.coordinator.kafka.ControlTopic;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.StatusTopic;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
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

  private final TableName table;
  private final Catalog catalog;
  private final ExecutorService readers;
  private final TableJob job;
  private final CoordinatorLoop loop;
  private final Thread thread;
  private Optional<RegistrySession> session = Optional.empty();

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
    KafkaClients kafka = new KafkaClients(registry.kafka().resolveProperties());
    this.loop =
        new CoordinatorLoop(
            new CoordinatorLoop.Parts(
                table,
                new CoordinatorCore(
                    TableJob.settings(table, registry.coordinator()),
                    TableJob.members(registry, table),
                    Protections.all()),
                new TableLedger(
                    table,
                    TableLedger.in(catalog, table),
                    false,
                    readers,
                    LedgerHooks.NONE,
                    Protections.all()),
                new TableCreator(
                    catalog, table, new TableSettings(spec.owner(), spec.properties().resolve())),
                new TableTopics(kafka, spec.controlTopic(), spec.statusTopic()),
                new ControlTopic(kafka, spec.controlTopic()),
                new StatusTopic(kafka, table, spec.statusTopic()),
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
                onEnd.ended(loop.end().orElseThrow(), Optional.empty());
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
    session =
        job.zooKeeperAddress()
            .map(
                address ->
                    new RegistrySession(
                        address,
                        table,
                        new LeaseOwner(
                            job.submission(),
                            hostName(),
                            Instant.now(),
                            "coordinator of table " + table),
                        loop::registryChanged));
    thread.start();
  }

  private Term highestKnownTerm() {
    return session.map(RegistrySession::highestKnownTerm).orElse(new Term(0));
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
    session.ifPresent(RegistrySession::close);
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
