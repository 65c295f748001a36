package io.tributary.cli.check;

import io.tributary.cli.mysql.MySqlServer;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.SecretUnavailableException;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Asks all systems that a registry names, side by side, and judges their answers. */
public final class RegistryCheck {
  private static final int MOST_AT_ONCE = 8;
  private static final Map<String, String> TIMEOUTS = Map.of("socketTimeout", "30000");
  private static final Comparator<ShardSpec> BY_TABLE_AND_NUMBER =
      Comparator.comparing(ShardSpec::table).thenComparing(ShardSpec::id);

  private final Registry registry;
  private final Consumer<String> progress;

  /**
   * @param progress told what has been looked at, from several threads
   */
  public RegistryCheck(Registry registry, Consumer<String> progress) {
    this.registry = registry;
    this.progress = progress;
  }

  /** What one server said; without facts it did not answer. */
  private record ServerAnswer(
      Optional<ServerFacts> facts,
      SortedMap<ShardSpec, ShardFacts> shards,
      List<Finding> findings) {}

  /**
   * Takes as long as the slowest system: seconds, or up to half a minute for one that does not
   * answer.
   */
  public CheckReport run() throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(MOST_AT_ONCE);
    try {
      Future<List<Finding>> lake = threads.submit(this::lake);
      Future<List<Finding>> kafka = threads.submit(this::kafka);
      SortedMap<ServerSpec, Future<ServerAnswer>> asked =
          new TreeMap<>(Comparator.comparing(ServerSpec::name));
      registry.servers().forEach(one -> asked.put(one, threads.submit(() -> ask(one))));
      List<Finding> findings = new ArrayList<>();
      List<CheckReport.Server> servers = new ArrayList<>();
      SortedMap<ShardSpec, ShardFacts> shards = new TreeMap<>(BY_TABLE_AND_NUMBER);
      for (Map.Entry<ServerSpec, Future<ServerAnswer>> one : asked.entrySet()) {
        ServerAnswer answer = result(one.getValue());
        findings.addAll(answer.findings());
        shards.putAll(answer.shards());
        servers.add(CheckReport.Server.of(registry, one.getKey(), answer.facts()));
      }
      for (TableSpec table : registry.tables()) {
        SortedMap<ShardSpec, ShardFacts> own = new TreeMap<>(BY_TABLE_AND_NUMBER);
        shards.forEach(
            (shard, facts) -> {
              if (shard.table().equals(table.name())) {
                own.put(shard, facts);
              }
            });
        findings.addAll(ShardRules.judge(table, own));
      }
      findings.addAll(result(lake));
      findings.addAll(result(kafka));
      findings.sort(Comparator.comparing(Finding::severity));
      return new CheckReport(
          servers,
          shards.entrySet().stream()
              .map(entry -> CheckReport.Shard.of(entry.getKey(), entry.getValue()))
              .toList(),
          findings);
    } finally {
      threads.shutdownNow();
    }
  }

  private static <T> T result(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException own) {
        throw own;
      }
      throw new IllegalStateException("Cannot check the registry", e.getCause());
    }
  }

  private ServerAnswer ask(ServerSpec spec) {
    SortedMap<ShardSpec, ShardFacts> shards = new TreeMap<>(BY_TABLE_AND_NUMBER);
    String subject = "server " + spec.name();
    List<Finding> findings = new ArrayList<>();
    Optional<ServerFacts> facts = Optional.empty();
    try (Connection connection = connect(spec)) {
      try {
        facts = Optional.of(new ServerSurvey(connection).facts());
        findings.addAll(ServerRules.judge(registry, spec, facts.get()));
        ShardSurvey survey = new ShardSurvey(connection);
        for (ShardSpec shard : registry.shards()) {
          if (shard.server().equals(spec.name()) && shard.state() != DesiredState.RETIRED) {
            shards.put(shard, survey.facts(shard.source()));
          }
        }
      } catch (SQLException | RuntimeException e) {
        findings.add(
            Finding.error(
                "server-not-understood",
                subject,
                Causes.of(e),
                "not everything about it and its shards could be looked at",
                "see that it answers, and check again"));
      }
      progress.accept(subject);
    } catch (SecretUnavailableException e) {
      findings.add(secret(subject, e));
    } catch (SQLException e) {
      findings.add(
          Finding.error(
              "server-unreachable",
              "%s (%s@%s:%d)".formatted(subject, spec.username(), spec.hostname(), spec.port()),
              Causes.of(e),
              "none of its shards can be read",
              "correct hostname, port, username or password in the registry, or let the server be"
                  + " reached from here"));
    }
    return new ServerAnswer(facts, shards, findings);
  }

  private static Connection connect(ServerSpec spec) throws SQLException {
    Map<String, String> properties = new TreeMap<>(TIMEOUTS);
    properties.putAll(spec.jdbcProperties().resolve());
    return new MySqlServer(
            spec.hostname(), spec.port(), spec.username(), spec.password()::resolve, properties)
        .connect();
  }

  private List<Finding> lake() {
    try {
      List<Finding> findings =
          LakeSurvey.look(
              registry.catalog(), registry.tables().stream().map(TableSpec::name).toList());
      progress.accept("metastore and warehouse");
      return findings;
    } catch (SecretUnavailableException e) {
      return List.of(secret("catalog", e));
    }
  }

  private List<Finding> kafka() {
    List<Finding> findings = new ArrayList<>();
    try {
      KafkaClients clients = new KafkaClients(registry.kafka().resolveProperties());
      for (TableSpec table : registry.tables()) {
        try (TableTopics topics =
            new TableTopics(clients, table.controlTopic(), table.statusTopic())) {
          for (String problem : topics.problems()) {
            findings.add(
                Finding.error(
                    "topic",
                    "topics of table " + table.name(),
                    problem,
                    "the coordinator refuses the table",
                    "as it says"));
          }
        }
      }
      progress.accept("Kafka");
    } catch (SecretUnavailableException e) {
      findings.add(secret("kafka", e));
    } catch (RuntimeException e) {
      findings.add(
          Finding.error(
              "kafka-unreachable",
              "Kafka " + registry.kafka().bootstrapServers(),
              Causes.of(e),
              "no round can be committed",
              "start it, or correct 'bootstrap-servers' and the properties of 'kafka'"));
    }
    return findings;
  }

  private static Finding secret(String subject, SecretUnavailableException e) {
    return Finding.error(
        "secret",
        subject,
        e.getMessage(),
        "whoever runs the jobs may have it all the same: secrets are read where they are used",
        "set the variable, or put the file in its place, for this check too");
  }
}
