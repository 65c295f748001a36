package io.tributary.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class IngestTopologyTest {
  private static ReadableConfig configured(Configuration given) {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(given);
    IngestTopology.configure(environment, Duration.ofSeconds(20));
    return environment.getConfiguration();
  }

  @Test
  void setsWhatFlinkNeedsWhenNothingIsConfigured() {
    ReadableConfig found = configured(new Configuration());

    assertThat(found.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
        .isEqualTo(Duration.ofSeconds(20));
    assertThat(found.get(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE))
        .isEqualTo(CheckpointingMode.EXACTLY_ONCE);
    assertThat(found.get(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS))
        .isEqualTo(Duration.ofSeconds(5));
    assertThat(found.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT))
        .isEqualTo(Duration.ofMinutes(10));
    assertThat(found.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER)).isEqualTo(10);
    assertThat(found.get(CheckpointingOptions.ENABLE_UNALIGNED)).isFalse();
    assertThat(found.get(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION))
        .isEqualTo(ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    assertThat(found.get(RestartStrategyOptions.RESTART_STRATEGY)).isEqualTo("exponential-delay");
    assertThat(found.get(PipelineOptions.GENERIC_TYPES)).isFalse();
  }

  @Test
  void leavesTheOperatorsChoicesAloneSaveTheInterval() {
    Configuration given = new Configuration();
    given.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    given.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofMinutes(3));
    given.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 2);
    given.set(RestartStrategyOptions.RESTART_STRATEGY, "failure-rate");

    ReadableConfig found = configured(given);

    assertThat(found.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
        .isEqualTo(Duration.ofSeconds(20));
    assertThat(found.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT))
        .isEqualTo(Duration.ofMinutes(3));
    assertThat(found.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER)).isEqualTo(2);
    assertThat(found.get(RestartStrategyOptions.RESTART_STRATEGY)).isEqualTo("failure-rate");
  }

  @Test
  void refusesUnalignedCheckpoints() {
    Configuration given = new Configuration();
    given.set(CheckpointingOptions.ENABLE_UNALIGNED, true);

    assertThatThrownBy(() -> configured(given))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("execution.checkpointing.unaligned")
        .hasMessageContaining("found true");
  }
}
