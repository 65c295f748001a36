package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "500 ms, PT0.5S, 500 ms",
    "10s, PT10S, 10 s",
    "90 s, PT90S, 90 s",
    "60 s, PT1M, 1 min",
    "10 min, PT10M, 10 min",
    "1 h, PT1H, 1 h",
    "7 d, PT168H, 7 d",
    "0 s, PT0S, 0 s"
  })
  void isReadAndWrittenBack(String text, Duration duration, String written) {
    assertThat(DurationText.parse(text)).contains(duration);
    assertThat(DurationText.format(duration)).isEqualTo(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10", "", "min", "10 m", "10 minutes", "-1 s", "1.5 s", "10  s", "1 S", "PT1M"})
  void otherFormsAreRefused(String text) {
    assertThat(DurationText.parse(text)).isEmpty();
  }
}
