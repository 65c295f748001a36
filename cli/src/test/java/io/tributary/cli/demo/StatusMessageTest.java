package io.tributary.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StatusMessageTest {
  private static final Path GOLDEN =
      Path.of("../commit-protocol/src/test/resources/golden/v1/commit-status.json");

  @Test
  void takesFromTheJsonWhatTheCodecWrote() throws Exception {
    String json = Files.readString(GOLDEN);
    CommitStatus written = CommitStatusCodec.decode(json.getBytes(StandardCharsets.UTF_8));

    StatusMessage message = StatusMessage.parse(json);

    assertThat(message.id()).isEqualTo(written.id());
    assertThat(message.round()).isEqualTo(written.round().value());
    assertThat(message.snapshotId()).contains(written.snapshot().orElseThrow().id());
    assertThat(message.validThrough()).contains(Instant.parse("2026-11-30T01:59:58.5Z"));
    assertThat(message.phases()).containsEntry(1, "snapshot").containsEntry(0, "active");
    assertThat(message.addedRows()).isEqualTo(written.added().dataRecords());
  }

  @Test
  void refusesWhatIsNoMessage() {
    assertThatThrownBy(() -> StatusMessage.parse("{}"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> StatusMessage.parse("nonsense"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot read a commit status: expected JSON");
  }
}
