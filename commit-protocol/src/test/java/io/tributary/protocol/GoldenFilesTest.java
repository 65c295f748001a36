package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GoldenFilesTest {
  @Test
  void aHelloWithoutContinuationKeepsItsBytes() {
    control("v1/hello-first.bin", Samples.hello(Optional.empty()));
  }

  @Test
  void aHelloWithContinuationKeepsItsBytes() {
    control("v1/hello-continuation.bin", Samples.hello(Optional.of(Samples.continuation())));
  }

  @Test
  void aCommittableKeepsItsBytes() {
    control("v1/committable.bin", Samples.committable());
  }

  @Test
  void aSchemaRequestKeepsItsBytes() {
    control("v1/schema-request.bin", Samples.schemaRequest());
  }

  @Test
  void aTableStateKeepsItsProperties() {
    state("v1/table-state.properties", Samples.state());
  }

  @Test
  void theStateOfATableWithoutDataKeepsItsProperties() {
    state("v1/table-state-empty.properties", Samples.emptyState());
  }

  @Test
  void aCommitStatusKeepsItsBytes() {
    status("v1/commit-status.json", Samples.state());
  }

  @Test
  void theCommitStatusOfATableWithoutDataKeepsItsBytes() {
    status("v1/commit-status-empty.json", Samples.emptyState());
  }

  @Test
  void aStateThatWasAcceptedKeepsItsProperties() {
    state("v2/table-state-accepted.properties", Samples.acceptedState());
  }

  @Test
  void theCommitStatusOfAStateThatWasAcceptedKeepsItsBytes() {
    status("v2/commit-status-accepted.json", Samples.acceptedState());
  }

  @Test
  void aCommittableOfShardsWithOtherColumnsKeepsItsBytes() {
    control("v2/committable-columns.bin", Samples.committableWithColumns());
  }

  @Test
  void aStateOfShardsWithOtherColumnsKeepsItsProperties() {
    state("v3/table-state-columns.properties", Samples.stateWithColumns());
  }

  private static void control(String file, ControlMessage message) {
    byte[] encoded = ControlMessageCodec.encode(message);
    byte[] golden = GoldenFile.bytes(file, encoded);
    assertThat(encoded).isEqualTo(golden);
    assertThat(ControlMessageCodec.decode(golden)).isEqualTo(message);
  }

  private static void status(String file, TableState state) {
    CommitStatus status = CommitStatus.of(Samples.TABLE, state);
    byte[] encoded = CommitStatusCodec.encode(status);
    byte[] golden = GoldenFile.bytes(file, encoded);
    assertThat(encoded).isEqualTo(golden);
    assertThat(CommitStatusCodec.decode(golden)).isEqualTo(status);
  }

  private static void state(String file, TableState state) {
    SortedMap<String, String> encoded = TableStateCodec.encode(state);
    StringBuilder lines = new StringBuilder();
    encoded.forEach((name, value) -> lines.append(name).append('=').append(value).append('\n'));
    byte[] now = lines.toString().getBytes(StandardCharsets.UTF_8);
    byte[] golden = GoldenFile.bytes(file, now);
    assertThat(new String(now, StandardCharsets.UTF_8))
        .isEqualTo(new String(golden, StandardCharsets.UTF_8));
    SortedMap<String, String> properties = new TreeMap<>();
    new String(golden, StandardCharsets.UTF_8)
        .lines()
        .forEach(
            line ->
                properties.put(
                    line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
    assertThat(TableStateCodec.decode(properties)).contains(state);
  }
}
