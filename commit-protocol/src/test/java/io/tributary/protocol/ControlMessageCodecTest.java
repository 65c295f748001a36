package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlMessageCodecTest {
  private static final byte[] COMMITTABLE = ControlMessageCodec.encode(Samples.committable());
  private static final byte[] HELLO = ControlMessageCodec.encode(Samples.hello(Optional.empty()));

  @Test
  void aMessageCutAtAnyByteIsRefused() {
    for (byte[] message : new byte[][] {COMMITTABLE, HELLO}) {
      for (int length = 0; length < message.length; length++) {
        byte[] cut = Arrays.copyOf(message, length);
        assertThatThrownBy(() -> ControlMessageCodec.decode(cut))
            .as("cut to %d bytes", length)
            .isInstanceOf(UnreadableMessageException.class)
            .hasMessageStartingWith("Cannot read ")
            .hasMessageContaining("expected");
      }
    }
  }

  @Test
  void aMessageWithOneBitFlippedIsRefusedOrSaysSomethingElse() {
    for (int at = 0; at < COMMITTABLE.length; at++) {
      byte[] flipped = COMMITTABLE.clone();
      flipped[at] ^= 1;
      try {
        assertThat(ControlMessageCodec.decode(flipped)).isNotEqualTo(Samples.committable());
      } catch (UnreadableMessageException e) {
        assertThat(e).hasMessageStartingWith("Cannot read ");
      }
    }
  }

  @Test
  void aMessageThatBeginsOtherwiseIsRefused() {
    byte[] other = COMMITTABLE.clone();
    other[0] = 'X';
    refused(other, "Cannot read a control message: expected it to begin with TRIB");
  }

  @Test
  void anotherVersionIsRefused() {
    byte[] other = COMMITTABLE.clone();
    other[4] = 3;
    refused(other, "Cannot read a control message: expected version 1 to 2, found 3");
  }

  @Test
  void aHeaderLongerThanTheMessageIsRefused() {
    byte[] other = HELLO.clone();
    ByteBuffer.wrap(other, 5, 4).putInt(-1);
    refused(other, "expected a header within " + other.length + " bytes, found length -1");
  }

  @Test
  void bytesBehindTheMessageAreRefused() {
    refused(
        Arrays.copyOf(HELLO, HELLO.length + 3),
        "Cannot read a control message: expected its end, found 3 more bytes");
  }

  @Test
  void aTamperedManifestIsRefused() {
    byte[] other = COMMITTABLE.clone();
    other[other.length - 1] ^= 1;
    refused(
        other,
        "Cannot read a control message: Cannot use a manifest: expected SHA-256 c06a06a3a8b83a93770818f466c5c3a256e74b3ac921baedb60e80d1c72dade9, found ");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // The chain hash covers what reaches the table.
        "\"epoch\":42|\"epoch\":43|Cannot use epoch 43 of group group-a: expected chain hash",
        "\"position\":4711|\"position\":4712|expected chain hash",
        "\"copiedRows\":1000|\"copiedRows\":1001|expected chain hash",
        "\"dataRecords\":300|\"dataRecords\":301|expected chain hash",
        "\"emptyShards\":[1,12]|\"emptyShards\":[1,13]|expected chain hash",
        "\"length\":1234567|\"length\":1234568|expected chain hash",
        "\"previous\":\"22b|\"previous\":\"33b|expected chain hash",
        "\"chain\":\"ccd|\"chain\":\"ddd|expected chain hash ddd",
        // What is not there, or not what it must be.
        "\"kind\":\"committable\"|\"kind\":\"resync\"|expected kind hello, committable or schema-request, found resync",
        "\"kind\":|\"sort\":|expected field 'kind', found none",
        "\"epoch\":42|\"epoch\":\"42\"|Cannot read field 'epoch': expected a whole number, found STRING",
        "\"epoch\":42|\"epoch\":4.2|Cannot read field 'epoch': expected a whole number, found NUMBER",
        "\"epoch\":42|\"epoch\":null|expected field 'epoch', found none",
        "\"epoch\":42|\"epoch\":42,\"epoch\":42|Cannot read a message: expected JSON",
        "\"epoch\":42|\"epoch\":99999999999999999999|expected a whole number",
        "\"schemaId\":2|\"schemaId\":4294967298|expected a whole number of 32 bits",
        "\"schemaId\":2|\"schemaId\":-2|expected schema, spec and registry version not below 0",
        "\"formatVersion\":2|\"formatVersion\":0|a format version of at least 1",
        "\"emptyShards\":[1,12]|\"emptyShards\":[1,\"x\"]|Cannot read field 'emptyShards': expected a list of whole numbers of 32 bits, found STRING",
        "\"path\":\"file:|\"path\":7,\"x\":\"file:|Cannot read field 'path': expected text, found NUMBER",
        "\"gtidSet\":\"3e1|\"gtidSet\":3,\"x\":\"3e1|Cannot read field 'gtidSet': expected text, found NUMBER",
        "\"sealedAt\":\"2026|\"sealedAt\":\"tomorrow|Cannot read field 'sealedAt': expected an ISO-8601 instant",
        "\"incarnation\":7|\"incarnation\":0|Cannot use 0 as an incarnation: expected at least 1",
        "\"table\":\"shop.products\"|\"table\":\"products\"|Cannot use 'products' as a table name",
        "\"phase\":\"snapshot\"|\"phase\":\"asleep\"|Cannot read 'asleep' as ShardPhase",
        "\"content\":\"deletes\"|\"content\":\"rows\"|Cannot read 'rows' as ManifestContent",
        "\"sha256\":\"87b|\"sha256\":\"87B|expected a SHA-256 in 64 lower-case hexadecimal digits",
        "\"shard\":1,|\"shard\":0,|expected each shard and each source once",
        "{\"server\":\"mysql-2\"}|{\"server\":\"mysql-1\"}|expected each shard and each source once",
        "5c1d9b52-7f3e|5c1d9b52-73e|Cannot read a control message: expected 'submission' to be",
        // What a later version might say, and this one could not act on.
        "\"epoch\":42|\"epoch\":42,\"replacesShards\":[1]|expected only known fields, found 'replacesShards'",
        "\"phase\":\"active\"|\"phase\":\"active\",\"lag\":3|expected only known fields, found 'shards[0].lag'",
      })
  void aChangedCommittableIsRefused(String part, String changed, String message) {
    refused(changed(COMMITTABLE, part, changed), message);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"shards\":[0,1,12]|\"shards\":[]|Cannot use the hello of group group-a: expected its shards, each once",
        "\"shards\":[0,1,12]|\"shards\":[0,1,1]|expected its shards, each once",
        "\"shards\":[0,1,12]|\"shards\":[0,1,-1]|Cannot use -1 as a shard number",
        "\"shards\":[0,1,12]|\"shards\":7|Cannot read field 'shards': expected a list, found NUMBER",
        "\"bucketCount\":5|\"bucketCount\":0|expected a bucket count of at least 1, found 0",
        "\"registryVersion\":3|\"registryVersion\":-3|expected a registry version not below 0",
        "\"shards\":|\"resync\":true,\"shards\":|expected only known fields, found 'resync'",
      })
  void aChangedHelloIsRefused(String part, String changed, String message) {
    refused(changed(HELLO, part, changed), message);
  }

  @Test
  void theOrderOfFieldsDoesNotMatter() {
    byte[] other =
        changed(
            HELLO,
            "\"kind\":\"hello\",\"table\":\"shop.products\"",
            "\"table\":\"shop.products\",\"kind\":\"hello\"");
    assertThat(ControlMessageCodec.decode(other)).isEqualTo(Samples.hello(Optional.empty()));
  }

  private static void refused(byte[] message, String expected) {
    assertThatThrownBy(() -> ControlMessageCodec.decode(message))
        .isInstanceOf(UnreadableMessageException.class)
        .hasMessageContaining(expected);
  }

  /** The message with a part of its header replaced, and the header's length put right. */
  private static byte[] changed(byte[] message, String part, String replacement) {
    int length = ByteBuffer.wrap(message, 5, 4).getInt();
    String header = new String(message, 9, length, StandardCharsets.UTF_8);
    assertThat(header).contains(part);
    int at = header.indexOf(part);
    byte[] changed =
        (header.substring(0, at) + replacement + header.substring(at + part.length()))
            .getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(message.length - length + changed.length)
        .put(message, 0, 5)
        .putInt(changed.length)
        .put(changed)
        .put(message, 9 + length, message.length - 9 - length)
        .array();
  }
}
