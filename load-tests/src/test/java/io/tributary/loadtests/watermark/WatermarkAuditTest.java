package io.tributary.loadtests.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WatermarkAuditTest {
  private static final ShardId SHARD = new ShardId(0);
  private static final Instant NOW = Instant.EPOCH.plusSeconds(1);

  private final WatermarkAudit audit = new WatermarkAudit(Duration.ofSeconds(1));

  @Test
  void aRowThatComesWithTheFirstMessageThatPromisesItIsInTime() {
    audit.announced(promise(1, 100), List.of());
    audit.announced(promise(2, 101), List.of(row(7)));
    audit.check(List.of(commit(7, 100, 0)), List.of());
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.checked()).isEqualTo(1);
    assertThat(audit.pairs()).isEqualTo(2);
  }

  @Test
  void aRowThatComesOneMessageTooLateIsFound() {
    audit.announced(promise(1, 100), List.of());
    audit.announced(promise(2, 101), List.of(row(7)));
    audit.check(List.of(commit(7, 99, 0)), List.of());
    assertThat(audit.missing()).isEqualTo(1);
    assertThat(audit.violations())
        .containsExactly(
            "round 1 says shard 0 is complete up to 1970-01-01T00:00:00.000100Z, but row 7 of a transaction confirmed at 1970-01-01T00:00:00.000099Z is there from round 2 on");
  }

  @Test
  void aRowThatNeverComesIsFoundAndATransactionThatNobodySpokeForIsNotChecked() {
    audit.announced(promise(1, 100), List.of());
    audit.check(List.of(commit(7, 99, 0), commit(8, 100, 0)), List.of());
    assertThat(audit.violations()).singleElement().asString().endsWith("is not there");
    assertThat(audit.checked()).isEqualTo(1);
  }

  @Test
  void whatIsCommittedWhileAClockShowsATimeAgainBelongsToTheTimeBehindIt() {
    audit.announced(promise(1, 100), List.of());
    audit.announced(promise(2, 121), List.of(row(7)));
    ClockStep back = new ClockStep(1, 5, 120, -40, true);
    audit.check(List.of(commit(7, 90, 6)), List.of(back));
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.checked()).isEqualTo(1);
    assertThat(audit.repeatedTimes()).isEqualTo(1);
  }

  @Test
  void butNotBeforeTheClockWasSetBackOnAnotherServerNorFromATimeThatNobodyBelieved() {
    audit.announced(promise(1, 100), List.of());
    audit.announced(promise(2, 121), List.of(row(7)));
    audit.check(
        List.of(commit(7, 90, 6)),
        List.of(
            new ClockStep(1, 7, 120, -40, true),
            new ClockStep(2, 5, 120, -40, true),
            new ClockStep(1, 5, 120, -40, false),
            new ClockStep(1, 5, 120, 40, true)));
    assertThat(audit.missing()).isEqualTo(1);
  }

  @Test
  void andWithTheFirstMessageBehindItItMustBeThere() {
    audit.announced(promise(1, 121), List.of());
    audit.check(List.of(commit(7, 90, 6)), List.of(new ClockStep(1, 5, 120, -40, true)));
    assertThat(audit.violations())
        .singleElement()
        .asString()
        .contains("(its clock had shown less than 1970-01-01T00:00:00.000120Z before)");
  }

  @Test
  void watermarksThatFallOrRunAheadAreFound() {
    audit.announced(promise(1, 100), List.of());
    audit.announced(promise(2, 99), List.of());
    audit.announced(promise(3, 2_000_001), List.of());
    audit.announced(
        new Announcement(4, Optional.of(micros(2_000_000)), Map.of(SHARD, micros(1_999_999)), NOW),
        List.of());
    audit.check(List.of(), List.of());
    assertThat(audit.violations())
        .containsExactly(
            "round 2 takes shard 0 back from 1970-01-01T00:00:00.000100Z to 1970-01-01T00:00:00.000099Z",
            "round 2 takes the table back from 1970-01-01T00:00:00.000100Z to Optional[1970-01-01T00:00:00.000099Z]",
            "round 3 says shard 0 is complete up to 1970-01-01T00:00:02.000001Z, at 1970-01-01T00:00:01Z",
            "round 4 takes shard 0 back from 1970-01-01T00:00:02.000001Z to 1970-01-01T00:00:01.999999Z",
            "round 4 says the table is complete up to 1970-01-01T00:00:02Z, and shard 0 up to 1970-01-01T00:00:01.999999Z",
            "round 4 takes the table back from 1970-01-01T00:00:02.000001Z to Optional[1970-01-01T00:00:02Z]");
  }

  private static Announcement promise(long round, long micros) {
    return new Announcement(round, Optional.of(micros(micros)), Map.of(SHARD, micros(micros)), NOW);
  }

  private static Watermark micros(long micros) {
    return Watermark.ofEpochMicros(micros);
  }

  private static SourceCommit commit(long id, long micros, long nanos) {
    return new SourceCommit(1, List.of(row(id)), micros, nanos);
  }

  private static SourceCommit.RowId row(long id) {
    return new SourceCommit.RowId(SHARD, id);
  }
}
