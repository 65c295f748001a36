package io.tributary.protocol.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.RoundNumber;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundSequenceTest {
  private static final String OTHER_UUID = "00000000-0000-4000-8000-000000000001";

  @Test
  void roundsThatFollowEachOtherAreInOrder() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(8).term(2),
                Statuses.round(9).term(2)))
        .isEmpty();
  }

  @Test
  void aWatermarkMayStandStill() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(1).validThrough(null),
                Statuses.round(2),
                Statuses.round(3).validThrough(Statuses.T0.plusSeconds(2))))
        .isEmpty();
  }

  @Test
  void theSameRoundTwiceIsReportedAndTheNextOneIsFine() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(7),
                Statuses.round(8)))
        .containsExactly("expected round 8, found round 7 again at offset 1");
  }

  @Test
  void anEarlierRoundIsReportedOnceForEachMessage() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(5),
                Statuses.round(6),
                Statuses.round(8)))
        .containsExactly(
            "expected round 8, found round 5 again at offset 1",
            "expected round 8, found round 6 again at offset 2");
  }

  @Test
  void missingRoundsAreCounted() {
    assertThat(faults(RoundSequence.fromAnyRound(), Statuses.round(7), Statuses.round(11)))
        .containsExactly("expected round 8, found round 11 at offset 1: 3 missing");
  }

  @Test
  void theFirstMessageMustFollowTheRoundThatWasSeenBefore() {
    assertThat(faults(RoundSequence.after(new RoundNumber(6)), Statuses.round(7))).isEmpty();
    assertThat(faults(RoundSequence.after(new RoundNumber(6)), Statuses.round(9)))
        .containsExactly("expected round 7, found round 9 at offset 0: 2 missing");
    assertThat(faults(RoundSequence.after(new RoundNumber(6)), Statuses.round(6)))
        .containsExactly("expected round 7, found round 6 again at offset 0");
  }

  @Test
  void aReplacedTableBeginsAnew() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7).term(5),
                Statuses.round(1).uuid(OTHER_UUID),
                Statuses.round(2).uuid(OTHER_UUID)))
        .containsExactly(
            "expected table UUID 0d9f4c1e-6a57-4f0e-9a5b-3b1f5d2c7e10, found "
                + OTHER_UUID
                + " at offset 1");
  }

  @Test
  void aFallingTermIsReported() {
    assertThat(faults(RoundSequence.fromAnyRound(), Statuses.round(7).term(5), Statuses.round(8)))
        .containsExactly("expected a term of at least 5, found 1 in round 8 at offset 1");
  }

  @Test
  void aFallingOrVanishingWatermarkIsReported() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(8).validThrough(Statuses.T0),
                Statuses.round(9).validThrough(null)))
        .containsExactly(
            "expected a watermark of at least 2026-11-30T02:00:07Z, found 2026-11-30T02:00:00Z in round 8 at offset 1",
            "expected a watermark of at least 2026-11-30T02:00:07Z, found none in round 9 at offset 2");
  }

  @Test
  void aWatermarkIsWithheldWhileAnEarlierPromiseIsNamedAndComesBackNotBelowIt() {
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(8).promised(Statuses.T0.plusSeconds(7)),
                Statuses.round(9).promised(Statuses.T0.plusSeconds(7)),
                Statuses.round(10).validThrough(Statuses.T0.plusSeconds(7))))
        .isEmpty();
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(8).promised(Statuses.T0.plusSeconds(6))))
        .containsExactly(
            "expected a watermark of at least 2026-11-30T02:00:07Z, found none in round 8 at offset 1");
    assertThat(
            faults(
                RoundSequence.fromAnyRound(),
                Statuses.round(7),
                Statuses.round(8).promised(Statuses.T0.plusSeconds(7)),
                Statuses.round(9).validThrough(Statuses.T0.plusSeconds(6))))
        .containsExactly(
            "expected a watermark of at least 2026-11-30T02:00:07Z, found 2026-11-30T02:00:06Z in round 9 at offset 2");
  }

  private static List<String> faults(RoundSequence sequence, Statuses... messages) {
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < messages.length; i++) {
      sequence.accept(messages[i].status(), i).forEach(fault -> faults.add(fault.toString()));
    }
    return faults;
  }
}
