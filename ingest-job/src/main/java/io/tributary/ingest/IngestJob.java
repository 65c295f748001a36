package io.tributary.ingest;

import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.send.GroupLease;
import io.tributary.ingest.send.KafkaAccess;
import io.tributary.ingest.send.SealerConfig;
import io.tributary.ingest.source.SourcePlanner;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.ingest.table.CatalogTableStateReader;
import io.tributary.ingest.table.TableAccess;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.registry.CatalogSpec;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.PassThroughProperties;
import io.tributary.registry.PropertyValue;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.Counters;
import io.tributary.registry.zookeeper.Lease;
import io.tributary.registry.zookeeper.LeaseHeldException;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Submits the job that reads one shard group. */
public final class IngestJob {
  private static final Logger LOG = LoggerFactory.getLogger(IngestJob.class);

  /** Under these names Flink shows a job's incarnation and registry version. */
  private static final String INCARNATION = "tributary.incarnation";

  private static final String REGISTRY_VERSION = "tributary.registry-version";

  private IngestJob() {}

  /**
   * @param arguments see {@link IngestConfig#USAGE}
   */
  public static void main(String[] arguments) throws Exception {
    IngestConfig config = IngestConfig.parse(arguments);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    if (config.registry() instanceof IngestConfig.RegistryZooKeeper place) {
      try (ZooKeeperConnection connection = ZooKeeperConnection.open(place.address())) {
        prepareWithZooKeeper(environment, config, connection);
      }
    } else if (config.registry() instanceof IngestConfig.RegistryFile place) {
      Registry registry = RegistryParser.parseFile(place.file());
      prepare(
          environment,
          registry,
          config,
          new SealerConfig.NoLease(),
          known -> new Incarnation(known + 1),
          submission -> Optional.empty());
    }
    environment.execute("tributary ingest " + config.group());
  }

  private static void prepareWithZooKeeper(
      StreamExecutionEnvironment environment, IngestConfig config, ZooKeeperConnection connection)
      throws Exception {
    Registry registry =
        new RegistryStore(connection, Clock.systemUTC())
            .current()
            .map(Publication::registry)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "Cannot start group %s: expected a published registry at %s, found none; publish one first"
                            .formatted(config.group(), connection.address())));
    Counters counters = new Counters(connection);
    prepare(
        environment,
        registry,
        config,
        new SealerConfig.ZooKeeperLease(connection.address().toString()),
        known ->
            counters.nextIncarnation(registry.group(config.group()).table(), config.group(), known),
        submission ->
            config.takeOver() ? Optional.empty() : Optional.of(leaseOf(connection, submission)));
  }

  /** What the cluster says of the job to whoever asks, its savepoints' keeper above all. */
  private static void tellFlink(StreamExecutionEnvironment environment, Submission submission) {
    Map<String, String> told =
        new TreeMap<>(environment.getConfig().getGlobalJobParameters().toMap());
    told.put(INCARNATION, submission.incarnation().toString());
    told.put(REGISTRY_VERSION, Long.toString(submission.registryVersion()));
    environment.getConfig().setGlobalJobParameters(Configuration.fromMap(told));
  }

  private static Lease leaseOf(ZooKeeperConnection connection, Submission submission) {
    try {
      return GroupLease.takeForLaunch(connection, submission);
    } catch (LeaseHeldException e) {
      throw new IllegalStateException(
          "Cannot start group %s: expected no running job of it, found %s; stop that job, or add --take-over to end it"
              .formatted(submission.group(), e.holder()),
          e);
    }
  }

  /** Builds the job; whatever stands against it is found here and not on the cluster. */
  private static void prepare(
      StreamExecutionEnvironment environment,
      Registry registry,
      IngestConfig config,
      SealerConfig.LeasePlace leasePlace,
      Function<Long, Incarnation> nextIncarnation,
      Function<Submission, Optional<Lease>> takeLease)
      throws Exception {
    GroupSpec group = registry.group(config.group());
    TableSpec table = registry.table(group.table());
    List<ShardSpec> shards = registry.activeShardsOf(group.name());
    if (shards.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot start group %s: expected at least one active shard in the registry, found none"
              .formatted(group.name()));
    }
    logConfiguration(registry, config, group, table, shards);
    IngestTopology.configure(environment, group.checkpointInterval());
    TableAccess access = tableAccess(registry.catalog(), table);
    Optional<TableState> ledger;
    try (CatalogTableStateReader reader = new CatalogTableStateReader(access)) {
      ledger = reader.read();
    }
    SourcePlanner.Planned planned =
        SourcePlanner.plan(
            table,
            group,
            registry.serversOf(group.name()).stream()
                .collect(Collectors.toMap(ServerSpec::name, Function.identity())),
            shards,
            SourceSpec.Timing.DEFAULT);
    JobPlan plan = JobPlan.of(planned.sources(), group.parallelism(), ledger);
    long known =
        ledger
            .flatMap(state -> state.group(group.name()))
            .map(GroupState::incarnation)
            .map(Incarnation::value)
            .orElse(0L);
    Submission submission =
        new Submission(
            table.name(),
            group.name(),
            nextIncarnation.apply(known),
            new SubmissionId(UUID.randomUUID()),
            plan.sources(),
            planned.estimatedRows(),
            registry.versionNumber());
    tellFlink(environment, submission);
    // Given back at once: the job's sealer takes it with the same submission's name.
    takeLease.apply(submission).ifPresent(Lease::close);
    SealerConfig sealer =
        new SealerConfig(
            submission,
            planned.proposal(),
            access,
            new KafkaAccess(
                with(
                    registry.kafka().properties(),
                    Map.of("bootstrap.servers", registry.kafka().bootstrapServers())),
                table.controlTopic()),
            leasePlace,
            SealerConfig.DEFAULT_INLINE_LIMIT);
    IngestTopology.build(environment, plan, sealer, group.parallelism());
    LOG.info(
        "Submitting group {} for table {} as incarnation {} (submission {}): {}",
        group.name(),
        table.name(),
        submission.incarnation(),
        submission.id(),
        plan.sources());
  }

  private static TableAccess tableAccess(CatalogSpec catalog, TableSpec table) {
    return new TableAccess(
        catalog.name(),
        catalog.type().word(),
        with(catalog.properties(), Map.of("uri", catalog.uri(), "warehouse", catalog.warehouse())),
        table.name());
  }

  private static PassThroughProperties with(
      PassThroughProperties properties, Map<String, String> more) {
    Map<String, PropertyValue> all = new TreeMap<>(properties.values());
    more.forEach((name, value) -> all.put(name, new PropertyValue.Plain(value)));
    return new PassThroughProperties(all);
  }

  /** Secrets are references in the registry, and print as such. */
  private static void logConfiguration(
      Registry registry,
      IngestConfig config,
      GroupSpec group,
      TableSpec table,
      List<ShardSpec> shards) {
    LOG.info("Command line: {}", config);
    LOG.info("Registry version: {}", registry.versionNumber());
    LOG.info("Catalog: {}", registry.catalog());
    LOG.info("Kafka: {}", registry.kafka());
    LOG.info("Table: {}", table);
    LOG.info("Group: {}", group);
    registry.serversOf(group.name()).forEach(server -> LOG.info("Server: {}", server));
    shards.forEach(shard -> LOG.info("Shard: {}", shard));
  }
}
