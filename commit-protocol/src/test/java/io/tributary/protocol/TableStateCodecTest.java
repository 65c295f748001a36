package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableStateCodecTest {
  private static final String PREFIX = "tributary.state.";

  @Test
  void aStateOf1024ShardsAnd64SourcesComesBackWhole() {
    TableState state = LargeSamples.state();
    assertThat(state.shards()).hasSize(1_024);
    assertThat(state.sources()).hasSize(64);
    Map<String, String> properties = TableStateCodec.encode(state);
    assertThat(properties.size()).isGreaterThan(20);
    assertThat(TableStateCodec.decode(properties)).contains(state);
  }

  @Test
  void everyPropertyIsShortAndPureAscii() {
    for (TableState state : new TableState[] {Samples.state(), LargeSamples.state()}) {
      TableStateCodec.encode(state)
          .forEach(
              (name, value) -> {
                assertThat(name).startsWith(PREFIX).hasSizeLessThan(128);
                assertThat(value).hasSizeBetween(1, 3_999).matches("[\\x20-\\x7e]+");
              });
    }
  }

  @Test
  void otherPropertiesOfTheTableAreLeftAlone() {
    Map<String, String> properties = new TreeMap<>(TableStateCodec.encode(Samples.state()));
    properties.put("write.format.default", "parquet");
    assertThat(TableStateCodec.decode(properties)).contains(Samples.state());
  }

  @Test
  void leftOversOfALongerStateDoNotDisturb() {
    Map<String, String> properties = new TreeMap<>(TableStateCodec.encode(LargeSamples.state()));
    properties.putAll(TableStateCodec.encode(Samples.state()));
    assertThat(TableStateCodec.decode(properties)).contains(Samples.state());
  }

  @Test
  void leftOversOfALongerStateAreNamed() {
    Map<String, String> large = TableStateCodec.encode(LargeSamples.state());
    Map<String, String> small = TableStateCodec.encode(Samples.state());
    Map<String, String> table = new TreeMap<>(large);
    table.put("write.format.default", "parquet");
    assertThat(TableStateCodec.leftOvers(table, small))
        .hasSize(large.size() - small.size())
        .allMatch(name -> name.startsWith(PREFIX))
        .doesNotContainAnyElementsOf(small.keySet());
  }

  @Test
  void aTableWithoutTheStateHasNone() {
    assertThat(TableStateCodec.decode(Map.of("write.format.default", "parquet"))).isEmpty();
  }

  @Test
  void theDefaultLocaleDoesNotMatter() {
    TableState state = LargeSamples.state();
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(TableStateCodec.encode(state)).containsKey(PREFIX + "010");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void aStateWithAnyPropertyMissingIsRefused() {
    Map<String, String> whole = TableStateCodec.encode(LargeSamples.state());
    for (String name : whole.keySet()) {
      Map<String, String> properties = new TreeMap<>(whole);
      properties.remove(name);
      refused(properties, "Cannot read the table's state: expected");
    }
  }

  @Test
  void aStateWithAnyPropertyChangedIsRefused() {
    Map<String, String> whole = TableStateCodec.encode(LargeSamples.state());
    for (String name : whole.keySet()) {
      Map<String, String> properties = new TreeMap<>(whole);
      String value = whole.get(name);
      properties.put(name, value.substring(0, value.length() - 1) + "~");
      refused(properties, "Cannot read the table's state: expected");
    }
  }

  @Test
  void aPropertyThatWasCutIsRefusedByName() {
    Map<String, String> properties = new TreeMap<>(TableStateCodec.encode(LargeSamples.state()));
    properties.computeIfPresent(PREFIX + "003", (name, value) -> value.substring(0, 255));
    refused(properties, "a property was cut or changed by hand");
  }

  @Test
  void aRoundSetByHandIsRefused() {
    Map<String, String> properties = new TreeMap<>(TableStateCodec.encode(Samples.state()));
    properties.put(PREFIX + "round", "16");
    refused(
        properties,
        "Cannot read the table's state: expected property tributary.state.round to be 17, found 16");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"v\":1|\"v\":4|Cannot read the table's state: expected version 1 to 3, found 4",
        "\"v\":1|\"v\":2|Cannot read the table's state: expected 'v' to be 1, found 2",
        "\"v\":1|\"w\":1|expected field 'v', found none",
        "\"term\":4|\"term\":4,\"lease\":7|expected only known fields, found 'lease'",
        "\"round\":17|\"round\":-17|Cannot use -17 as a round",
        "\"validThrough\":1796003998500000|\"validThrough\":\"x\"|Cannot read field 'validThrough': expected a whole number",
        "\"parent\":8912345678901234567|\"parent\":8.9|Cannot read field 'parent': expected a whole number",
        "\"sequence\":21|\"sequence\":0|a sequence number of at least 1",
        "[13,\"group-b\"|[12,\"group-b\"|expected each shard and source once",
        "[13,\"group-b\"|[\"13\",\"group-b\"|expected a whole number of 32 bits, found STRING",
        "[13,\"group-b\"|[13,7|Cannot read field 'shard': expected text, found NUMBER",
        "-1,0,0,0]]|-1,8,0,0]]|expected known flags of a shard, found 8",
        "-1,0,0,0]]|-1,0,0]]|expected a shard of 8 to 10 parts, found 7",
        "-1,0,0,0]]|-7,0,0,0]]|Cannot read the table's state: expected 'shards[3]",
        "-1,0,0,0]]|-1,0,0,0,null]]|expected field 'shard', found none",
        "\"answer\":\"continue\"|\"answer\":\"maybe\"|Cannot read 'maybe' as HelloAnswer",
      })
  void aChangedStateIsRefusedEvenWithTheRightHash(String part, String changed, String message) {
    Map<String, String> properties = new TreeMap<>(TableStateCodec.encode(Samples.state()));
    String json = properties.get(PREFIX + "000");
    assertThat(json).contains(part);
    String other = json.replace(part, changed);
    properties.put(PREFIX + "000", other);
    properties.put(
        PREFIX + "sha256", CommittableManifest.hash(other.getBytes(StandardCharsets.US_ASCII)));
    refused(properties, message);
  }

  private static void refused(Map<String, String> properties, String message) {
    assertThatThrownBy(() -> TableStateCodec.decode(properties))
        .isInstanceOf(UnreadableMessageException.class)
        .hasMessageContaining(message);
  }
}
