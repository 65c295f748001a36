package io.tributary.cli.check;

import io.tributary.cli.mysql.MySqlServer;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.server.ServerFacts;
import io.tributary.ingest.server.ServerSurvey;
import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.SecretUnavailableException;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks all systems that a registry names, side by side, and judges their answers. */
public final class RegistryCheck {
  private static final int MOST_AT_ONCE = 32;
  private static final Map<String, String> TIMEOUTS = Map.of("socketTimeout", "30000");
  private static final Comparator<ShardSpec> BY_TABLE_AND_NUMBER =
      Comparator.comparing(ShardSpec::table).thenComparing(ShardSpec::id);

  /**
   * What is checked.
   *
   * @param places where its parts stand in a file
   * @param zooKeeper where it is or will be published; not looked at when empty
   * @param patience how long to wait for all systems together; positive
   */
  public record Request(
      Registry registry,
      RegistryPlaces places,
      Optional<ZooKeeperAddress> zooKeeper,
      Duration patience) {
    public Request {
      Objects.requireNonNull(registry, "registry");
      Objects.requireNonNull(places, "places");
      Objects.requireNonNull(zooKeeper, "zooKeeper");
      Objects.requireNonNull(patience, "patience");
    }
  }

  private final Registry registry;
  private final RegistryPlaces places;
  private final Request request;
  private final CheckProgress progress;
  private final long begin = System.nanoTime();

  public RegistryCheck(Request request, CheckProgress progress) {
    this.registry = request.registry();
    this.places = request.places();
    this.request = request;
    this.progress = progress;
  }

  /** What one system said; a server without facts did not answer. */
  private record Answer(
      Optional<ServerFacts> facts,
      SortedMap<ShardSpec, ShardFacts> shards,
      List<Finding> findings) {
    static Answer of(List<Finding> findings) {
      return new Answer(Optional.empty(), new TreeMap<>(BY_TABLE_AND_NUMBER), findings);
    }
  }

  /** Takes as long as the slowest system, and no longer than the request's patience. */
  public CheckReport run() throws InterruptedException {
    Map<String, Callable<Answer>> systems = new LinkedHashMap<>();
    for (ServerSpec server : registry.servers()) {
      systems.put("server " + server.name(), () -> ask(server));
    }
    systems.put("metastore and warehouse", () -> Answer.of(lake()));
    systems.put("Kafka", () -> Answer.of(kafka()));
    request
        .zooKeeper()
        .ifPresent(
            address ->
                systems.put(
                    "ZooKeeper", () -> Answer.of(ZooKeeperSurvey.look(address, registry, places))));
    progress.begin(systems.keySet());
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(MOST_AT_ONCE, systems.size()),
            task -> {
              Thread thread = new Thread(task, "registry-check");
              // One that never comes back keeps no process alive.
              thread.setDaemon(true);
              return thread;
            });
    try {
      Map<String, Future<Answer>> asked = new LinkedHashMap<>();
      systems.forEach(
          (name, system) ->
              asked.put(
                  name,
                  threads.submit(
                      () -> {
                        try {
                          return system.call();
                        } finally {
                          progress.done(name);
                        }
                      })));
      Map<String, Answer> answers = new LinkedHashMap<>();
      for (Map.Entry<String, Future<Answer>> one : asked.entrySet()) {
        answers.put(one.getKey(), await(one.getKey(), one.getValue()));
      }
      return report(answers);
    } finally {
      threads.shutdownNow();
    }
  }

  private Optional<RegistryPlaces.Place> place(String system) {
    return registry.servers().stream()
        .filter(server -> system.equals("server " + server.name()))
        .findFirst()
        .flatMap(server -> places.server(server.name()));
  }

  private Answer await(String system, Future<Answer> future) throws InterruptedException {
    while (true) {
      long waited = System.nanoTime() - begin;
      long left = request.patience().toNanos() - waited;
      if (left <= 0 && !future.isDone()) {
        return Answer.of(
            List.of(
                Finding.error(
                        "no-answer-in-time",
                        system,
                        "no answer within %d s".formatted(request.patience().toSeconds()),
                        "nothing is known of it; the others were looked at all the same",
                        "see that it answers and check again, or wait longer with --timeout")
                    .at(place(system))));
      }
      try {
        return future.get(
            Math.max(1, Math.min(left, TimeUnit.SECONDS.toNanos(1))), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        progress.tick(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
      } catch (ExecutionException e) {
        // What we did not think of must not hide what the others say.
        return Answer.of(
            List.of(
                Finding.error(
                        "not-understood",
                        system,
                        Causes.of(e),
                        "not everything about it could be looked at",
                        "see that it answers, and check again")
                    .at(place(system))));
      }
    }
  }

  private CheckReport report(Map<String, Answer> answers) {
    List<Finding> findings = new ArrayList<>();
    List<CheckReport.Server> servers = new ArrayList<>();
    SortedMap<ShardSpec, ShardFacts> shards = new TreeMap<>(BY_TABLE_AND_NUMBER);
    Map<ServerSpec, ServerFacts> known = new LinkedHashMap<>();
    answers.values().forEach(answer -> findings.addAll(answer.findings()));
    for (ServerSpec server : registry.servers()) {
      Answer answer = answers.get("server " + server.name());
      shards.putAll(answer.shards());
      answer.facts().ifPresent(facts -> known.put(server, facts));
      servers.add(CheckReport.Server.of(registry, server, answer.facts()));
    }
    findings.addAll(IdentityRules.judge(known, places));
    List<CheckReport.Column> columns = new ArrayList<>();
    for (TableSpec table : registry.tables()) {
      SortedMap<ShardSpec, ShardFacts> own = new TreeMap<>(BY_TABLE_AND_NUMBER);
      List<SourceSchema> schemas = new ArrayList<>();
      shards.forEach(
          (shard, facts) -> {
            if (shard.table().equals(table.name())) {
              own.put(shard, facts);
              facts.schema().ifPresent(schemas::add);
            }
          });
      findings.addAll(ShardRules.judge(registry, places, table, own));
      columns.addAll(TypeReport.of(table, schemas));
    }
    findings.sort(Comparator.comparing(Finding::severity));
    return new CheckReport(
        servers,
        shards.entrySet().stream()
            .map(entry -> CheckReport.Shard.of(entry.getKey(), entry.getValue()))
            .toList(),
        columns,
        findings);
  }

  private Answer ask(ServerSpec spec) {
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
            shards.put(shard, survey.facts(shard));
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
    return new Answer(
        facts,
        shards,
        findings.stream().map(finding -> finding.at(places.server(spec.name()))).toList());
  }

  private static Connection connect(ServerSpec spec) throws SQLException {
    Map<String, String> properties = new TreeMap<>(TIMEOUTS);
    properties.putAll(spec.jdbcProperties().resolve());
    return new MySqlServer(
            spec.hostname(), spec.port(), spec.username(), spec.password()::resolve, properties)
        .connect();
  }

  private List<Finding> lake() {
    List<Finding> findings;
    try {
      findings =
          LakeSurvey.look(
              registry.catalog(), registry.tables().stream().map(TableSpec::name).toList());
    } catch (SecretUnavailableException e) {
      findings = List.of(secret("catalog", e));
    }
    return findings.stream().map(finding -> finding.at(places.catalog())).toList();
  }

  private List<Finding> kafka() throws InterruptedException {
    try {
      return KafkaSurvey.look(registry, places);
    } catch (SecretUnavailableException e) {
      return List.of(secret("kafka", e).at(places.kafka()));
    } catch (RuntimeException e) {
      return List.of(
          Finding.error(
                  "kafka-unreachable",
                  "Kafka " + registry.kafka().bootstrapServers(),
                  Causes.of(e),
                  "no round can be committed",
                  "start it, or correct 'bootstrap-servers' and the properties of 'kafka'")
              .at(places.kafka()));
    }
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
