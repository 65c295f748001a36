package io.tributary.coordinator;

import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.coordinator.iceberg.TableSettings;
import io.tributary.coordinator.kafka.ControlTopic;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.StatusTopic;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.hive.HiveCatalog;

/**
 * A coordinator's loop of a table of groups a (shard 1) and b (shard 2), put together as the job
 * does it, on the servers of a test.
 *
 * @param metastoreUri {@code thrift://HOST:PORT}, possibly of a proxy
 * @param kafka client properties
 * @param network between the ledger and the catalog
 * @param socketTimeout after which a request to the metastore is given up; whole seconds
 * @param limits when the table is maintained
 */
record LoopSetup(
    TableName table,
    String metastoreUri,
    String warehouse,
    Map<String, String> kafka,
    Steps steps,
    LedgerHooks hooks,
    UnaryOperator<Supplier<TableOperations>> network,
    Protections protections,
    Duration socketTimeout,
    TableMaintenance.Limits limits) {
  static final Members MEMBERS =
      Members.of(
          0,
          Map.of(
              new ShardId(1),
              Members.Member.active(new GroupName("a"), TestGroup.SERVER),
              new ShardId(2),
              Members.Member.active(new GroupName("b"), TestGroup.SERVER)));

  /** As the product's own: a machine that does much else is no reason to give a request up. */
  private static final Duration PATIENT = Duration.ofSeconds(60);

  static LoopSetup of(TableName table) {
    return of(
        table,
        Servers.get().endpoints().metastoreUri(),
        Servers.get().endpoints().warehouse().toString(),
        Map.of("bootstrap.servers", Servers.get().endpoints().kafkaBootstrapServers()));
  }

  static LoopSetup of(
      TableName table, String metastoreUri, String warehouse, Map<String, String> kafka) {
    return new LoopSetup(
        table,
        metastoreUri,
        warehouse,
        kafka,
        Steps.NONE,
        LedgerHooks.NONE,
        UnaryOperator.identity(),
        Protections.all(),
        PATIENT,
        TableMaintenance.Limits.DEFAULT);
  }

  /** Gives requests to the metastore up after this time. */
  LoopSetup withSocketTimeout(Duration other) {
    return new LoopSetup(
        table, metastoreUri, warehouse, kafka, steps, hooks, network, protections, other, limits);
  }

  /** Maintains the table at other times. */
  LoopSetup withLimits(TableMaintenance.Limits other) {
    return new LoopSetup(
        table,
        metastoreUri,
        warehouse,
        kafka,
        steps,
        hooks,
        network,
        protections,
        socketTimeout,
        other);
  }

  LoopSetup withMetastore(String uri) {
    return new LoopSetup(
        table, uri, warehouse, kafka, steps, hooks, network, protections, socketTimeout, limits);
  }

  LoopSetup withKafka(Map<String, String> properties) {
    return new LoopSetup(
        table,
        metastoreUri,
        warehouse,
        properties,
        steps,
        hooks,
        network,
        protections,
        socketTimeout,
        limits);
  }

  LoopSetup withSteps(Steps other) {
    return new LoopSetup(
        table,
        metastoreUri,
        warehouse,
        kafka,
        other,
        hooks,
        network,
        protections,
        socketTimeout,
        limits);
  }

  LoopSetup withHooks(LedgerHooks other) {
    return new LoopSetup(
        table,
        metastoreUri,
        warehouse,
        kafka,
        steps,
        other,
        network,
        protections,
        socketTimeout,
        limits);
  }

  LoopSetup withNetwork(UnaryOperator<Supplier<TableOperations>> other) {
    return new LoopSetup(
        table,
        metastoreUri,
        warehouse,
        kafka,
        steps,
        hooks,
        other,
        protections,
        socketTimeout,
        limits);
  }

  LoopSetup withProtections(Protections other) {
    return new LoopSetup(
        table, metastoreUri, warehouse, kafka, steps, hooks, network, other, socketTimeout, limits);
  }

  static String controlTopic(TableName table) {
    return "tributary.control." + table;
  }

  static String statusTopic(TableName table) {
    return "tributary.status." + table;
  }

  HiveCatalog catalog() {
    HiveCatalog hive = new HiveCatalog();
    Configuration hadoop = new Configuration();
    hadoop.set("hive.metastore.client.socket.timeout", socketTimeout.toSeconds() + "s");
    hive.setConf(hadoop);
    hive.initialize("test", Map.of("uri", metastoreUri, "warehouse", warehouse));
    return hive;
  }

  CoordinatorLoop loop(ExecutorService readers) {
    KafkaClients clients = new KafkaClients(kafka);
    HiveCatalog catalog = catalog();
    TableLedger ledger =
        new TableLedger(
            table,
            network.apply(TableLedger.in(catalog, table)),
            false,
            readers,
            hooks,
            protections);
    return new CoordinatorLoop(
        new CoordinatorLoop.Parts(
            table,
            new CoordinatorCore(
                CoreSettings.of(table, Duration.ofSeconds(1), 16, Duration.ofMinutes(1)),
                MEMBERS,
                protections),
            ledger,
            new TableCreator(catalog, table, new TableSettings(Optional.empty(), Map.of())),
            new TableMaintenance(
                table, ledger, TableLedger.in(catalog, table), Clock.systemUTC(), limits),
            new TableTopics(clients, controlTopic(table), statusTopic(table)),
            new ControlTopic(clients, controlTopic(table)),
            new StatusTopic(clients, table, statusTopic(table), protections),
            Optional::empty,
            () -> new Term(0),
            message -> {},
            new LoopMetrics(new UnregisteredMetricsGroup(), table, Clock.systemUTC()),
            Clock.systemUTC(),
            UUID::randomUUID,
            steps));
  }
}
