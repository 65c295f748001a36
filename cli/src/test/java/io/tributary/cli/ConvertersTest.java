package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ConvertersTest {
  @ParameterizedTest
  @CsvSource({"60,60000", "90 s,90000", "1.5s,1500", "10 min,600000", "500ms,500", "1 h,3600000"})
  void durationsHaveUnitsAndBareNumbersAreSeconds(String text, long millis) {
    assertThat(new DurationConverter().convert(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "s", "-1 s", "10 minutes", "1 h 30 min", "999999999999 d"})
  void otherFormsOfADurationAreRefused(String text) {
    assertThatThrownBy(() -> new DurationConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("expected a duration such as '90 s' or '10 min', found '" + text + "'");
  }

  @Test
  void timesNeedAZone() {
    assertThat(new InstantConverter().convert("2026-11-30T12:00:00.5+09:00"))
        .isEqualTo(Instant.parse("2026-11-30T03:00:00.5Z"));
    assertThatThrownBy(() -> new InstantConverter().convert("2026-11-30T12:00:00"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("expected a time with its zone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "", "ten", "1.5", "2147483648"})
  void countsAreWholeNumbersFromZero(String text) {
    assertThat(new CountConverter().convert("10")).isEqualTo(10);
    assertThatThrownBy(() -> new CountConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("expected a whole number from 0 to 2,147,483,647, found '" + text + "'");
  }
}
