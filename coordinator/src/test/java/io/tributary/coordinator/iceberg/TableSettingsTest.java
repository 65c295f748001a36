package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableSettingsTest {
  @Test
  void aNewTableGetsWhatTheProtocolRestsOn() {
    assertThat(new TableSettings(Optional.empty(), Map.of()).forNewTable())
        .isEqualTo(
            Map.of(
                "format-version", "2",
                "engine.hive.lock-enabled", "false",
                "commit.manifest-merge.enabled", "false",
                "write.format.default", "parquet",
                "write.parquet.compression-codec", "zstd",
                "write.metadata.delete-after-commit.enabled", "true",
                "history.expire.max-snapshot-age-ms", "21600000",
                "history.expire.min-snapshots-to-keep", "100"));
  }

  @Test
  void whatTheOperatorSaysReplacesDefaults() {
    assertThat(
            new TableSettings(
                    Optional.of("team"), Map.of("write.parquet.compression-codec", "snappy"))
                .forNewTable())
        .containsEntry("write.parquet.compression-codec", "snappy")
        .containsEntry("owner", "team")
        .containsEntry("hive.metastore.table.owner", "team");
  }

  @Test
  void refusesWhatContradictsTheProtocol() {
    assertThatThrownBy(
            () -> new TableSettings(Optional.empty(), Map.of("engine.hive.lock-enabled", "true")))
        .hasMessageContaining("engine.hive.lock-enabled=true: expected false");
    assertThatThrownBy(
            () -> new TableSettings(Optional.empty(), Map.of("tributary.state.round", "3")))
        .hasMessageContaining("coordinator's own");
  }
}
