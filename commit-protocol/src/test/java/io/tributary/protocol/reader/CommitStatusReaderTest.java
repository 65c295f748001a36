package io.tributary.protocol.reader;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommitStatusReaderTest {
  private static final String KAFKA = "127.0.0.1:9";

  @Test
  void bootstrapServersAreNeeded() {
    assertThatThrownBy(() -> new CommitStatusReader(Map.of()))
        .hasMessage(
            "Cannot read commit statuses: expected the setting bootstrap.servers, found none");
  }

  @ParameterizedTest
  @CsvSource({
    "group.id, billing",
    "isolation.level, read_uncommitted",
    "enable.auto.commit, true",
    "auto.offset.reset, earliest",
    "allow.auto.create.topics, true",
    "value.deserializer, org.apache.kafka.common.serialization.StringDeserializer"
  })
  void settingsThatWouldBreakThePromiseAreRefused(String name, String value) {
    assertThatThrownBy(
            () -> new CommitStatusReader(Map.of("bootstrap.servers", KAFKA, name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot read commit statuses: expected ")
        .hasMessageContaining(name)
        .hasMessageEndingWith("found '" + value + "'");
  }

  @Test
  void settingsThatSayTheSameAndSecurityPassThrough() {
    assertThatCode(
            () ->
                new CommitStatusReader(
                        Map.of(
                            "bootstrap.servers",
                            KAFKA,
                            "isolation.level",
                            "read_committed",
                            "enable.auto.commit",
                            false,
                            "security.protocol",
                            "SASL_SSL"))
                    .close())
        .doesNotThrowAnyException();
  }

  @Test
  void aTimeoutOfNothingIsRefused() {
    try (CommitStatusReader reader = new CommitStatusReader(Map.of("bootstrap.servers", KAFKA))) {
      assertThatThrownBy(() -> reader.awaitWatermark(Statuses.TABLE, Statuses.T0, Duration.ZERO))
          .hasMessage(
              "Cannot wait for table shop.products: expected a timeout above 0, found PT0S");
    }
  }
}
