package io.tributary.cli.check;

import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Looks at the brokers and at the topics of all tables; changes nothing. */
final class KafkaSurvey {
  /** Short, where the operator has not said otherwise: somebody waits for the answer. */
  private static final Map<String, String> TIMEOUTS =
      Map.of(
          AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000",
          AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "10000");

  private static final long ANSWER_SECONDS = 30;

  private final Registry registry;
  private final RegistryPlaces places;
  private final List<Finding> findings = new ArrayList<>();

  private KafkaSurvey(Registry registry, RegistryPlaces places) {
    this.registry = registry;
    this.places = places;
  }

  /**
   * @throws RuntimeException when Kafka does not answer; its cause says why
   */
  static List<Finding> look(Registry registry, RegistryPlaces places) throws InterruptedException {
    KafkaSurvey survey = new KafkaSurvey(registry, places);
    Map<String, String> properties = new TreeMap<>(TIMEOUTS);
    properties.putAll(registry.kafka().resolveProperties());
    KafkaClients clients = new KafkaClients(properties);
    for (TableSpec table : registry.tables()) {
      try (TableTopics topics =
          new TableTopics(clients, table.controlTopic(), table.statusTopic())) {
        topics.problems().forEach(problem -> survey.refused(table, problem));
      }
    }
    survey.replication(properties);
    return survey.findings;
  }

  private void refused(TableSpec table, String problem) {
    String topic =
        problem.contains(" " + table.controlTopic() + ":")
            ? table.controlTopic()
            : table.statusTopic();
    findings.add(
        Finding.refusal(
                "topic",
                subject(topic, table),
                problem,
                "the coordinator refuses the table",
                "as it says")
            .at(places.table(table.name())));
  }

  private static String subject(String topic, TableSpec table) {
    return "topic %s of table %s".formatted(topic, table.name());
  }

  private void replication(Map<String, String> properties) throws InterruptedException {
    Map<String, Object> config = new TreeMap<>();
    properties.forEach(
        (name, value) -> {
          if (AdminClientConfig.configNames().contains(name)
              || name.startsWith("sasl.")
              || name.startsWith("ssl.")) {
            config.put(name, value);
          }
        });
    try (Admin admin = Admin.create(config)) {
      TreeSet<String> present = new TreeSet<>(answer(admin.listTopics().names()));
      int brokers = answer(admin.describeCluster().nodes()).size();
      for (TableSpec table : registry.tables()) {
        for (String topic : List.of(table.controlTopic(), table.statusTopic())) {
          if (present.contains(topic)) {
            copies(admin, table, topic, brokers);
          } else {
            findings.add(
                Finding.info(
                        "topic-missing",
                        subject(topic, table),
                        "no such topic",
                        "the coordinator makes it when it starts")
                    .at(places.table(table.name())));
          }
        }
      }
    }
  }

  /** Every write waits for the replicas that the topic asks for. */
  private void copies(Admin admin, TableSpec table, String topic, int brokers)
      throws InterruptedException {
    TopicDescription description =
        answer(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config settings = answer(admin.describeConfigs(List.of(resource)).all()).get(resource);
    int least = Integer.parseInt(settings.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG).value());
    int replicas =
        description.partitions().stream().mapToInt(one -> one.replicas().size()).min().orElse(0);
    int inSync =
        description.partitions().stream()
            .map(TopicPartitionInfo::isr)
            .mapToInt(List::size)
            .min()
            .orElse(0);
    String found =
        "%s=%d, %d replicas, %d in sync"
            .formatted(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, least, replicas, inSync);
    if (least > replicas || least > inSync) {
      add(
          table,
          Finding.error(
              "topic-cannot-be-written",
              subject(topic, table),
              found,
              "Kafka refuses every write: nothing is committed or announced",
              least > replicas
                  ? "set %s of topic %s to %d at most, or give the topic more replicas"
                      .formatted(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, topic, replicas)
                  : "bring the brokers of the other replicas back"));
    } else if (least == replicas && replicas > 1) {
      add(
          table,
          Finding.warning(
              "topic-replication",
              subject(topic, table),
              found,
              "no broker may be away: with one of them nothing is committed or announced",
              "set %s of topic %s to %d"
                  .formatted(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, topic, replicas - 1)));
    } else if (replicas == 1 && brokers > 1) {
      add(
          table,
          Finding.warning(
              "topic-replication",
              subject(topic, table),
              found,
              "what is lost with that broker's disk has to be read again from the sources, after"
                  + " 'tributary accept'",
              "give the topic three replicas and %s=2"
                  .formatted(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)));
    }
  }

  private void add(TableSpec table, Finding finding) {
    findings.add(finding.at(places.table(table.name())));
  }

  private static <T> T answer(KafkaFuture<T> future) throws InterruptedException {
    try {
      return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("no answer within " + ANSWER_SECONDS + " s", e);
    }
  }
}
