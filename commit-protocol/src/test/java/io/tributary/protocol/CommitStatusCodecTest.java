package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommitStatusCodecTest {
  private static final CommitStatus STATUS = CommitStatus.of(Samples.TABLE, Samples.state());
  private static final String JSON =
      new String(CommitStatusCodec.encode(STATUS), StandardCharsets.UTF_8);

  @Test
  void theSameRoundAlwaysGivesTheSameBytes() {
    assertThat(CommitStatusCodec.encode(CommitStatus.of(Samples.TABLE, Samples.state())))
        .isEqualTo(CommitStatusCodec.encode(STATUS));
  }

  @Test
  void snapshotIdsAreTextBecauseJavaScriptWouldRoundThem() {
    assertThat(JSON).contains("\"snapshotId\":\"9007199254740993\"");
    assertThat(STATUS.snapshot().orElseThrow().id()).isEqualTo(9_007_199_254_740_993L);
  }

  @Test
  void timesCompareAsText() {
    assertThat(JSON)
        .contains("\"validThrough\":\"2026-11-30T01:59:58.500000Z\"")
        .contains("\"committedAt\":\"2026-11-30T02:00:00.123456Z\"");
  }

  @Test
  void aTimeFinerThanMicrosecondsComesBackAsItWasSent() {
    TableState base = Samples.state();
    TableState state =
        new TableState(
            base.tableUuid(),
            base.round(),
            base.term(),
            base.owner(),
            base.plan(),
            base.registryVersion(),
            base.controlOffset(),
            base.validThrough(),
            base.snapshot(),
            base.dataRound(),
            base.added(),
            base.removed(),
            Instant.parse("2026-11-30T02:00:00.123456789Z"),
            base.groups(),
            base.shards(),
            base.sources());
    CommitStatus status = CommitStatus.of(Samples.TABLE, state);
    assertThat(CommitStatusCodec.decode(CommitStatusCodec.encode(status))).isEqualTo(status);
  }

  @Test
  void everyShardThatIsNotActiveAndCoveredIsNamedUnlessRetired() {
    assertThat(STATUS.notCovered())
        .extracting(CommitStatus.NotCovered::toString)
        .containsExactly(
            "shard 1 (initial-snapshot)",
            "shard 12 (halted: Cannot read on: expected a binlog event, found XA PREPARE)",
            "shard 13 (not-started)");
  }

  @Test
  void unknownFieldsAreSkippedSinceLaterMessagesMayHaveMore() {
    String more =
        JSON.replace("\"specversion\"", "\"traceparent\":\"00-1\",\"specversion\"")
            .replace("\"epoch\":42", "\"epoch\":42,\"rows\":{\"a\":[1]}")
            .replace("\"round\":17", "\"round\":17,\"next\":null");
    assertThat(CommitStatusCodec.decode(more.getBytes(StandardCharsets.UTF_8))).isEqualTo(STATUS);
  }

  @Test
  void aMessageCutAtAnyByteIsRefused() {
    byte[] whole = CommitStatusCodec.encode(STATUS);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> CommitStatusCodec.decode(cut))
          .isInstanceOf(UnreadableMessageException.class);
    }
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "commit-status.v1|commit-status.v2|expected type io.tributary.commit-status.v1, found io.tributary.commit-status.v2",
        "\"specversion\":\"1.0\"|\"specversion\":\"2.0\"|expected specversion 1.0, found 2.0",
        "7e10-17\"|7e10-18\"|expected id 0d9f4c1e-6a57-4f0e-9a5b-3b1f5d2c7e10-17, found",
        "\"data\":{|\"date\":{|expected field 'data', found none",
        "\"snapshotId\":\"9007199254740993\"|\"snapshotId\":9007199254740993|Cannot read field 'snapshotId': expected text, found NUMBER",
        "\"snapshotId\":\"9007199254740993\"|\"snapshotId\":\"9e15\"|expected a whole number as text, found '9e15'",
        "\"snapshotId\":\"9007199254740993\"|\"snapshotId\":\"+9\"|expected a whole number as text, found '+9'",
        "\"sequenceNumber\":21|\"sequenceNumber\":null|expected field 'sequenceNumber', found none",
        "\"validThrough\":\"2026|\"validThrough\":\"soon|Cannot read field 'validThrough'",
        "\"reason\":\"halted\"|\"reason\":\"tired\"|Cannot read 'tired' as NotCoveredReason: expected one of",
        "\"phase\":\"active\"|\"phase\":\"awake\"|Cannot read 'awake' as ShardPhase",
        "\"dataRound\":true|\"dataRound\":1|Cannot read field 'dataRound': expected true or false",
        "\"registryVersion\":3|\"registryVersion\":-3|expected a registry version not below 0",
      })
  void aChangedMessageIsRefused(String part, String changed, String message) {
    assertThat(JSON).contains(part);
    byte[] bytes = JSON.replace(part, changed).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> CommitStatusCodec.decode(bytes))
        .isInstanceOf(UnreadableMessageException.class)
        .hasMessageContaining(message);
  }
}
