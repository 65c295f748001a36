package io.tributary.coordinator.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table's two topics: made when they are missing, refused when they are not what the protocol
 * needs, never altered.
 *
 * <p>The control topic keeps every record until the table says that it is no longer needed; its
 * time and size limits would throw away epochs of a group that waits. The commit-status topic keeps
 * every message in order: compaction would leave gaps in the rounds.
 */
public final class TableTopics implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableTopics.class);
  private static final String MAX_TRANSACTION_TIMEOUT = "transaction.max.timeout.ms";

  /** Status messages of a month: far more than any reader should be behind. */
  private static final Duration STATUS_RETENTION = Duration.ofDays(30);

  private final Admin admin;
  private final String controlTopic;
  private final String statusTopic;
  private final Duration transactionTimeout;

  public TableTopics(KafkaClients clients, String controlTopic, String statusTopic) {
    this.admin = clients.admin();
    this.controlTopic = controlTopic;
    this.statusTopic = statusTopic;
    this.transactionTimeout = clients.transactionTimeout();
  }

  /**
   * Makes sure that both topics are there and right.
   *
   * @throws TopicRefusedException naming everything that is wrong and the cure
   * @throws KafkaUnreachableException when Kafka does not answer
   */
  public void ensure() {
    create(
        new NewTopic(controlTopic, Optional.of(1), Optional.empty())
            .configs(
                Map.of(
                    TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE,
                    TopicConfig.RETENTION_MS_CONFIG, "-1",
                    TopicConfig.RETENTION_BYTES_CONFIG, "-1",
                    TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false")));
    create(
        new NewTopic(statusTopic, Optional.of(1), Optional.empty())
            .configs(
                Map.of(
                    TopicConfig.CLEANUP_POLICY_CONFIG,
                    TopicConfig.CLEANUP_POLICY_DELETE,
                    TopicConfig.RETENTION_MS_CONFIG,
                    Long.toString(STATUS_RETENTION.toMillis()),
                    TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
                    "false")));
    List<String> problems = problems(Set.of(controlTopic, statusTopic));
    if (!problems.isEmpty()) {
      throw new TopicRefusedException(String.join("; ", problems));
    }
  }

  /**
   * Says what is wrong with the topics that are there, and changes nothing: one that is not is made
   * right when it is made.
   *
   * @throws KafkaUnreachableException when Kafka does not answer
   */
  public List<String> problems() {
    Set<String> present = new TreeSet<>(answer("list the topics", admin.listTopics().names()));
    present.retainAll(Set.of(controlTopic, statusTopic));
    return problems(present);
  }

  private List<String> problems(Set<String> present) {
    List<String> problems = new ArrayList<>();
    checkPartitions(present, problems);
    checkSettings(present, problems);
    checkTransactionTimeout(problems);
    return problems;
  }

  /**
   * Deletes the control topic's records below an offset. Not urgent: what cannot be deleted now is
   * deleted with a later offset.
   */
  public void deleteControlRecordsBelow(long offset) {
    try {
      TopicPartition partition = new TopicPartition(controlTopic, 0);
      ask(
          "delete records of topic " + controlTopic,
          admin
              .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
              .lowWatermarks()
              .get(partition));
    } catch (RuntimeException | ExecutionException e) {
      LOG.warn(
          "Cannot delete records of topic {} below offset {} now: {}; tried again with a later one",
          controlTopic,
          offset,
          e.toString());
    }
  }

  private void create(NewTopic topic) {
    try {
      ask(
          "describe topic " + topic.name(),
          admin.describeTopics(List.of(topic.name())).topicNameValues().get(topic.name()));
      return;
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw unreachable("describe topic " + topic.name(), e.getCause());
      }
    }
    try {
      ask("create topic " + topic.name(), admin.createTopics(List.of(topic)).all());
      LOG.info("Created topic {} with {}", topic.name(), topic.configs());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw unreachable("create topic " + topic.name(), e.getCause());
      }
    }
  }

  private void checkPartitions(Set<String> present, List<String> problems) {
    Map<String, TopicDescription> topics =
        answer("describe the topics", admin.describeTopics(present).allTopicNames());
    topics.forEach(
        (name, topic) -> {
          if (topic.partitions().size() != 1) {
            problems.add(
                "Cannot use topic %s: expected 1 partition, which keeps its records in order, found %d; delete it when nothing in it is needed, and it is created anew"
                    .formatted(name, topic.partitions().size()));
          }
        });
  }

  private void checkSettings(Set<String> present, List<String> problems) {
    Map<ConfigResource, Config> configs =
        answer(
            "describe the topics' settings",
            admin
                .describeConfigs(
                    present.stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList())
                .all());
    Config control = configs.get(new ConfigResource(ConfigResource.Type.TOPIC, controlTopic));
    Config status = configs.get(new ConfigResource(ConfigResource.Type.TOPIC, statusTopic));
    expect(problems, controlTopic, control, TopicConfig.CLEANUP_POLICY_CONFIG, Set.of("delete"));
    expect(problems, controlTopic, control, TopicConfig.RETENTION_MS_CONFIG, Set.of("-1"));
    expect(problems, controlTopic, control, TopicConfig.RETENTION_BYTES_CONFIG, Set.of("-1"));
    expect(problems, statusTopic, status, TopicConfig.CLEANUP_POLICY_CONFIG, Set.of("delete"));
    for (String unclean : List.of(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG)) {
      expect(problems, controlTopic, control, unclean, Set.of("false"));
      expect(problems, statusTopic, status, unclean, Set.of("false"));
    }
  }

  private static void expect(
      List<String> problems, String topic, Config config, String name, Set<String> allowed) {
    ConfigEntry entry = config == null ? null : config.get(name);
    if (entry != null && !allowed.contains(entry.value())) {
      String wanted = String.join(" or ", allowed);
      problems.add(
          "Cannot use topic %s: expected %s=%s, found %s; set it with kafka-configs --alter --topic %s --add-config %s=%s"
              .formatted(topic, name, wanted, entry.value(), topic, name, wanted));
    }
  }

  private void checkTransactionTimeout(List<String> problems) {
    try {
      Node broker =
          answer("find a broker", admin.describeCluster().nodes()).stream().findAny().orElseThrow();
      ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
      ConfigEntry most =
          ask("describe a broker's settings", admin.describeConfigs(List.of(resource)).all())
              .get(resource)
              .get(MAX_TRANSACTION_TIMEOUT);
      if (most != null && Long.parseLong(most.value()) < transactionTimeout.toMillis()) {
        problems.add(
            "Cannot publish on topic %s: expected a transaction timeout of at most %s ms, the brokers' %s, found %d ms; pass a lower transaction.timeout.ms through in the registry's kafka properties"
                .formatted(
                    statusTopic,
                    most.value(),
                    MAX_TRANSACTION_TIMEOUT,
                    transactionTimeout.toMillis()));
      }
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof AuthorizationException)) {
        throw unreachable("describe a broker's settings", e.getCause());
      }
      LOG.warn(
          "Cannot compare the transaction timeout of {} ms with the brokers' {}: not allowed to see it",
          transactionTimeout.toMillis(),
          MAX_TRANSACTION_TIMEOUT);
    }
  }

  private <T> T answer(String what, KafkaFuture<T> future) {
    try {
      return ask(what, future);
    } catch (ExecutionException e) {
      throw unreachable(what, e.getCause());
    }
  }

  private <T> T ask(String what, KafkaFuture<T> future) throws ExecutionException {
    try {
      return future.get(KafkaClients.CALL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unreachable(what, e);
    } catch (TimeoutException e) {
      throw unreachable(what, e);
    }
  }

  private static KafkaUnreachableException unreachable(String what, Throwable cause) {
    return new KafkaUnreachableException(
        "Cannot " + what + ": " + cause.getClass().getSimpleName() + ": " + cause.getMessage(),
        cause);
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(5));
  }
}
