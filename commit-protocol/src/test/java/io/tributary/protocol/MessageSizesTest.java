package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SortedMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** The sizes that the module's README quotes. */
class MessageSizesTest {
  /** What brokers and producers accept unless told otherwise. */
  private static final int KAFKA_DEFAULT_LIMIT = 1_000_000;

  @Test
  void everyMessageOf1024ShardsFitsKafkasDefaults() throws IOException {
    bound("hello", ControlMessageCodec.encode(LargeSamples.hello()), 6_000);
    bound(
        "committable of one group with all shards, without manifests",
        ControlMessageCodec.encode(LargeSamples.committable()),
        175_000);
    bound(
        "commit status",
        CommitStatusCodec.encode(CommitStatus.of(Samples.TABLE, LargeSamples.state())),
        165_000);
  }

  @Test
  void theStateOf1024ShardsIsFewShortProperties() {
    SortedMap<String, String> properties = TableStateCodec.encode(LargeSamples.state());
    int characters = properties.values().stream().mapToInt(String::length).sum();
    System.out.printf(
        "table state: %,d characters in %d properties%n", characters, properties.size());
    assertThat(characters).isLessThan(120_000);
    assertThat(properties).hasSizeLessThan(38);
  }

  private static void bound(String message, byte[] bytes, int limit) throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(bytes);
    }
    System.out.printf("%s: %,d bytes, %,d gzipped%n", message, bytes.length, zipped.size());
    assertThat(bytes.length).as(message).isLessThan(limit).isLessThan(KAFKA_DEFAULT_LIMIT);
  }
}
