package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProbeLedgerTest {
  private static final Duration MOST_AHEAD = Duration.ofSeconds(60);
  private static final Instant OURS = Instant.EPOCH.plusSeconds(1);

  private final ProbeLedger ledger = new ProbeLedger(MOST_AHEAD);

  @Test
  void promisesNothingBeforeTheFirstProbeIsReached() {
    ledger.add(probe("a", 100, 500), OURS);
    assertThat(ledger.reachedBy(at(499))).isEmpty();
    assertThat(ledger.reachedBy(at(500))).contains(clock(100));
  }

  @Test
  void promisesTheNewestProbeThatIsReachedAndKeepsIt() {
    ledger.add(probe("a", 100, 500), OURS);
    ledger.add(probe("a", 200, 600), OURS);
    ledger.add(probe("a", 300, 700), OURS);
    assertThat(ledger.reachedBy(at(650))).contains(clock(200));
    assertThat(ledger.outstandingProbes()).isEqualTo(1);
    assertThat(ledger.reachedBy(at(650))).contains(clock(200));
  }

  @Test
  void anotherServerBehindTheSameAddressIsAFault() {
    ledger.add(probe("a", 100, 500), OURS);
    ledger.add(probe("b", 200, 600), OURS);
    assertThat(ledger.fault().orElseThrow()).contains("expected the server a, found b");
    assertThat(ledger.reachedBy(at(900))).isEmpty();
  }

  @Test
  void anotherServerThanTheOneThatWasReadBeforeIsAFaultFromTheFirstProbe() {
    ledger.expect("a");
    assertThat(ledger.identity()).contains("a");
    ledger.add(probe("b", 200, 600), OURS);
    assertThat(ledger.fault().orElseThrow()).contains("expected the server a, found b");
    assertThat(ledger.identity()).contains("a");
    assertThat(ledger.reachedBy(at(900))).isEmpty();
  }

  @Test
  void aPositionThatWentBackIsAFault() {
    ledger.add(probe("a", 100, 500), OURS);
    ledger.reachedBy(at(500));
    ledger.add(probe("a", 200, 4), OURS);
    assertThat(ledger.fault().orElseThrow()).contains("found binlog.000001:4");
    assertThat(ledger.reachedBy(at(900))).as("what was promised stays").contains(clock(100));
  }

  @Test
  void aLogThatEndsBeforeWhereItIsReadFromIsAFaultFromTheFirstProbe() {
    ledger.beginAt(at(500));
    ledger.add(probe("a", 100, 499), OURS);
    assertThat(ledger.fault().orElseThrow())
        .contains("at or after binlog.000001:500, found binlog.000001:499")
        .contains("cure: ");
    assertThat(ledger.reachedBy(at(500))).as("nothing is promised").isEmpty();
  }

  @Test
  void aClockBehindAnEarlierReadingHoldsThePromise() {
    ledger.add(probe("a", 300, 500), OURS);
    ledger.add(probe("a", 200, 600), OURS);
    assertThat(ledger.reachedBy(at(600))).contains(clock(300));
    assertThat(ledger.heldClocks()).isEqualTo(1);
    ledger.add(probe("a", 301, 700), OURS);
    assertThat(ledger.reachedBy(at(700))).contains(clock(301));
  }

  @Test
  void aClockSetBackPromisesNothingUntilItHasPassedItsEarlierReadingAndSaysWhy() {
    ledger.add(probe("a", 300, 500), OURS);
    assertThat(ledger.held()).isEmpty();
    ledger.add(probe("a", 200, 600), OURS);
    assertThat(ledger.held())
        .contains(
            "expected its clock at or after %s, which it has shown before, found %s"
                .formatted(clock(300), clock(200)));
    ledger.add(probe("a", 299, 700), OURS);
    assertThat(ledger.reachedBy(at(700))).contains(clock(300));
    assertThat(ledger.heldClocks()).isEqualTo(2);
    ledger.add(probe("a", 300, 800), OURS);
    assertThat(ledger.held()).isEmpty();
  }

  @Test
  void aClockTooFarAheadIsNotBelievedAndHoldsNothingAfterwards() {
    Watermark limit = new Watermark(OURS.plus(MOST_AHEAD));
    Watermark beyond = new Watermark(limit.instant().plusNanos(1_000));
    ledger.add(probe("a", 300, 500), OURS);
    ledger.add(new Probe("a", beyond, at(600)), OURS);
    assertThat(ledger.held())
        .contains(
            "expected its clock at most 60 s ahead of ours, found %s while ours is %s"
                .formatted(beyond, OURS));
    assertThat(ledger.reachedBy(at(600))).contains(clock(300));
    ledger.add(probe("a", 400, 700), OURS);
    assertThat(ledger.held()).isEmpty();
    assertThat(ledger.reachedBy(at(700))).as("it is right again").contains(clock(400));
    ledger.add(new Probe("a", limit, at(800)), OURS);
    assertThat(ledger.reachedBy(at(800))).as("so far ahead it is believed").contains(limit);
    assertThat(ledger.heldClocks()).isEqualTo(1);
  }

  @Test
  void aReaderFarBehindCostsNoEndlessMemory() {
    for (int i = 0; i < 100_000; i++) {
      ledger.add(probe("a", i, i), OURS);
    }
    assertThat(ledger.outstandingProbes()).isLessThanOrEqualTo(8_192);
    assertThat(ledger.reachedBy(at(100_000))).isPresent();
  }

  private static Probe probe(String identity, long micros, long position) {
    return new Probe(identity, clock(micros), at(position));
  }

  private static Watermark clock(long micros) {
    return Watermark.ofEpochMicros(micros);
  }

  private static SourcePosition at(long position) {
    return SourcePosition.of("binlog.000001", position);
  }
}
