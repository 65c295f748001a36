package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"shop.products", "a.b.c", "S_1.T_2"})
  void aTableNameHasANamespace(String name) {
    assertThat(new TableName(name)).hasToString(name);
    assertThat(TopicNames.status(new TableName(name))).isEqualTo("tributary.status." + name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "products", "shop.", ".products", "a..b", "shop\\.products", "shop-1.t"})
  void anythingElseIsNoTableName(String name) {
    assertThatThrownBy(() -> new TableName(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot use '" + name + "' as a table name: expected ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A", "a b", "-a", "a-", "a.b", "a/b"})
  void aGroupNameIsLowerCaseAndHasNoDot(String name) {
    assertThatThrownBy(() -> new GroupName(name)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aWatermarkIsRoundedDownToMicroseconds() {
    Watermark watermark = new Watermark(Instant.parse("2026-11-30T00:00:00.000000999Z"));
    assertThat(watermark.instant()).isEqualTo(Instant.parse("2026-11-30T00:00:00Z"));
    assertThat(Watermark.ofEpochMicros(watermark.toEpochMicros())).isEqualTo(watermark);
  }

  @Test
  void theLastWatermarkThatMessagesCanHoldIsCountedInMicroseconds() {
    Watermark last = new Watermark(Instant.parse("9999-12-31T23:59:59.999999Z"));
    assertThat(Watermark.ofEpochMicros(last.toEpochMicros())).isEqualTo(last);
  }

  @Test
  void aWatermarkOutsideTheYearsThatMessagesCanHoldIsRefused() {
    assertThatThrownBy(() -> new Watermark(Instant.MAX))
        .hasMessageEndingWith("as a watermark: expected a time in the years 1970 to 9999");
    assertThatThrownBy(() -> Watermark.ofEpochMicros(-1))
        .hasMessageEndingWith("as a watermark: expected a time in the years 1970 to 9999");
    assertThatThrownBy(() -> Watermark.ofEpochMicros(Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
