package io.tributary.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.registry.ColumnTypeOverride;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TextFormTest {
  static Stream<Arguments> sameValues() {
    return Stream.of(
        Arguments.of("int", "-7", -7),
        Arguments.of("int", "007", 7),
        Arguments.of("tinyint", "2", 2),
        Arguments.of("tinyint", "1", true),
        Arguments.of("bigint", "18446744073709551615", new BigDecimal("18446744073709551615")),
        Arguments.of("decimal", "-0.10", new BigDecimal("-0.10")),
        Arguments.of("decimal", "12.50", "12.50"),
        Arguments.of("year", "2024", 2024),
        Arguments.of("bit", "513", ByteBuffer.wrap(new byte[] {2, 1})),
        Arguments.of("bit", "18446744073709551615", new BigDecimal("18446744073709551615")),
        Arguments.of("float", "0.10000000149011612", 0.1f),
        Arguments.of("double", "1e22", 1e22),
        Arguments.of("varchar", "한글 👍 \\ \"", "한글 👍 \\ \""),
        Arguments.of("varbinary", "00FF10", ByteBuffer.wrap(new byte[] {0, (byte) 0xff, 16})),
        Arguments.of(
            "point",
            "000010E60101000000000000000000F83F00000000000002C0",
            ByteBuffer.wrap(
                HexFormat.of().parseHex("e61000000101000000000000000000f83f00000000000002c0"))),
        Arguments.of("json", "{\"b\": 1.50, \"a\": [1, null]}", "{\"a\":[1,null],\"b\":1.50}"),
        Arguments.of("date", "2024-02-29", LocalDate.of(2024, 2, 29)),
        Arguments.of("time", "23:59:59.5", LocalTime.of(23, 59, 59, 500_000_000)),
        Arguments.of("datetime", "2024-01-02 03:04:05", LocalDateTime.of(2024, 1, 2, 3, 4, 5)),
        Arguments.of(
            "timestamp",
            "2024-01-02 03:04:05.000001",
            OffsetDateTime.of(2024, 1, 2, 12, 4, 5, 1_000, ZoneOffset.ofHours(9))));
  }

  @ParameterizedTest
  @MethodSource("sameValues")
  void bothSidesOfAValueHaveOneText(String type, String source, Object table) {
    TextForm form = TextForm.of(type).orElseThrow();

    assertThat(form.ofTable(table))
        .isEqualTo(form.ofSource(source.getBytes(StandardCharsets.UTF_8)));
  }

  static Stream<Arguments> otherValues() {
    return Stream.of(
        Arguments.of("tinyint", "2", true),
        Arguments.of("decimal", "0.1", new BigDecimal("0.10")),
        Arguments.of("float", "0.10000000149011612", 0.1),
        Arguments.of("varchar", "a", "a "),
        Arguments.of("varchar", "Ä", "ä"),
        Arguments.of("varbinary", "0000", ByteBuffer.wrap(new byte[] {0})),
        Arguments.of("int", "7", "seven"),
        Arguments.of("timestamp", "2024-01-02 03:04:05", LocalDateTime.of(2024, 1, 2, 3, 4, 5)),
        Arguments.of(
            "datetime",
            "2024-01-02 03:04:05",
            OffsetDateTime.of(2024, 1, 2, 3, 4, 5, 0, ZoneOffset.UTC)));
  }

  @ParameterizedTest
  @MethodSource("otherValues")
  void otherValuesHaveOtherTexts(String type, String source, Object table) {
    TextForm form = TextForm.of(type).orElseThrow();

    assertThat(form.ofTable(table))
        .isNotEqualTo(form.ofSource(source.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void nullStaysNullAndADayThatNoCalendarKnowsCountsAsNull() {
    TextForm form = TextForm.of("datetime").orElseThrow();

    assertThat(form.ofSource(null)).isNull();
    assertThat(form.ofTable(null)).isNull();
    for (String day : List.of("0000-00-00", "2020-00-10", "2020-10-00", "2021-02-29")) {
      byte[] sent = (day + " 00:00:00").getBytes(StandardCharsets.UTF_8);
      assertThat(form.ofSource(sent)).as(day).isNull();
      assertThat(TextForm.of("date").orElseThrow().ofSource(day.getBytes(StandardCharsets.UTF_8)))
          .as(day)
          .isNull();
    }
    assertThat(form.ofSource("0000-01-02 03:04:05".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("0000-01-02 03:04:05.000000");
  }

  @Test
  void aColumnWhoseTypeTheRegistryNamesIsComparedAsThatType() {
    TextForm truth = TextForm.of("tinyint", ColumnTypeOverride.BOOLEAN).orElseThrow();
    assertThat(truth.ofTable(true)).isEqualTo(truth.ofSource("1".getBytes(StandardCharsets.UTF_8)));
    assertThat(truth.ofTable(false))
        .isNotEqualTo(truth.ofSource("1".getBytes(StandardCharsets.UTF_8)));
    assertThat(truth.ofTable(1)).isNotEqualTo(truth.ofTable(true));
    TextForm rounded = TextForm.of("decimal", ColumnTypeOverride.DOUBLE).orElseThrow();
    assertThat(rounded.ofTable(0.1))
        .isEqualTo(rounded.ofSource("0.1".getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void aTypeWithoutAnExactTextHasNoForm() {
    assertThat(TextForm.of("xmltype")).isEmpty();
  }
}
