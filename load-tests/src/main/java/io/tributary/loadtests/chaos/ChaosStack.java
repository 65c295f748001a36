package io.tributary.loadtests.chaos;

import io.tributary.loadtests.endtoend.Landscape;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.StackEndpoints;
import io.tributary.localstack.proxy.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The local stack with a proxy in front of everything that the jobs talk to, and short timeouts
 * towards it. Each job has a TaskManager of its own to be killed.
 */
final class ChaosStack implements AutoCloseable {
  static final String KAFKA = "kafka";
  static final String METASTORE = "metastore";
  static final String ZOOKEEPER = "zookeeper";
  static final String JOBMANAGER = "jobmanager";
  static final List<String> GROUPS = List.of("west", "east");

  static final int TASK_MANAGERS = 4;
  static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(3);

  /** The longest that a client waits, by service. An outage lasts three times as long. */
  static final Map<String, Duration> TIMEOUTS =
      Map.of(
          KAFKA, Duration.ofSeconds(6),
          METASTORE, Duration.ofSeconds(5),
          ZOOKEEPER, Duration.ofSeconds(12));

  private static final String NAME = "chaos";
  private static final int SHARDS_PER_GROUP = 2;
  private static final int HEAP_MB = 512;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

  private final LocalStack stack;
  private final Map<String, FaultProxy> proxies = new LinkedHashMap<>();

  private ChaosStack(LocalStack stack) {
    this.stack = stack;
    for (String server : List.of(KAFKA, METASTORE, ZOOKEEPER, mariaDb(1), mariaDb(2))) {
      proxies.put(server, stack.openProxy(server));
    }
  }

  static ChaosStack start(Path folder, Consumer<String> progress) {
    return new ChaosStack(
        LocalStack.start(
            LocalStackConfig.in(folder)
                .withTaskManagers(TASK_MANAGERS, 1)
                .withTaskManagerHeapMb(HEAP_MB)
                .withZooKeeperOptions("maxSessionTimeout=" + TIMEOUTS.get(ZOOKEEPER).toMillis())
                .withFlinkOptions(flinkOptions())
                .withWipe(true)
                .withStartTimeout(START_TIMEOUT),
            progress));
  }

  private static Map<String, String> flinkOptions() {
    return Map.of(
        "restart-strategy.type",
        "exponential-delay",
        "restart-strategy.exponential-delay.initial-backoff",
        "500 ms",
        "restart-strategy.exponential-delay.max-backoff",
        "5 s",
        "restart-strategy.exponential-delay.reset-backoff-threshold",
        "30 s",
        // Whether a checkpoint is under way must be known at once.
        "web.refresh-interval",
        "50 ms",
        "rest.cache.checkpoint-statistics.timeout",
        "50 ms");
  }

  static String mariaDb(int number) {
    return "mariadb-" + number;
  }

  LocalStack local() {
    return stack;
  }

  /** Stands between the jobs and this server. */
  FaultProxy proxy(String server) {
    return proxies.get(server);
  }

  List<String> proxied() {
    return List.copyOf(proxies.keySet());
  }

  /** The shards and their registry as the jobs know them: behind the proxies. */
  Landscape seenByJobs() {
    return landscape(stack.endpoints().through(proxies));
  }

  /** The same as whoever checks it knows them. */
  Landscape direct() {
    return landscape(stack.endpoints());
  }

  private static Landscape landscape(StackEndpoints at) {
    return Landscape.of(at, NAME, GROUPS, SHARDS_PER_GROUP)
        .withCheckpointInterval(CHECKPOINT_INTERVAL)
        .withAccess(
            new Landscape.Access(
                "",
                Path.of("unused"),
                """
              properties:
                hive.metastore.client.socket.timeout: %ds
            """
                    .formatted(TIMEOUTS.get(METASTORE).toSeconds()),
                """
              properties:
                request.timeout.ms: 4000
                default.api.timeout.ms: %1$d
                delivery.timeout.ms: %1$d
                max.block.ms: %1$d
            """
                    .formatted(TIMEOUTS.get(KAFKA).toMillis()),
                ""));
  }

  @Override
  public void close() {
    stack.close();
    proxies.values().forEach(FaultProxy::close);
  }
}
