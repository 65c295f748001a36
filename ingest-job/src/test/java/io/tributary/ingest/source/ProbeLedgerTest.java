package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import org.junit.jupiter.api.Test;

class ProbeLedgerTest {
  private final ProbeLedger ledger = new ProbeLedger();

  @Test
  void promisesNothingBeforeTheFirstProbeIsReached() {
    ledger.add(probe("a", 100, 500));
    assertThat(ledger.reachedBy(at(499))).isEmpty();
    assertThat(ledger.reachedBy(at(500))).contains(clock(100));
  }

  @Test
  void promisesTheNewestProbeThatIsReachedAndKeepsIt() {
    ledger.add(probe("a", 100, 500));
    ledger.add(probe("a", 200, 600));
    ledger.add(probe("a", 300, 700));
    assertThat(ledger.reachedBy(at(650))).contains(clock(200));
    assertThat(ledger.outstandingProbes()).isEqualTo(1);
    assertThat(ledger.reachedBy(at(650))).contains(clock(200));
  }

  @Test
  void anotherServerBehindTheSameAddressIsAFault() {
    ledger.add(probe("a", 100, 500));
    ledger.add(probe("b", 200, 600));
    assertThat(ledger.fault().orElseThrow()).contains("expected the server a, found b");
    assertThat(ledger.reachedBy(at(900))).isEmpty();
  }

  @Test
  void anotherServerThanTheOneThatWasReadBeforeIsAFaultFromTheFirstProbe() {
    ledger.expect("a");
    assertThat(ledger.identity()).contains("a");
    ledger.add(probe("b", 200, 600));
    assertThat(ledger.fault().orElseThrow()).contains("expected the server a, found b");
    assertThat(ledger.identity()).contains("a");
    assertThat(ledger.reachedBy(at(900))).isEmpty();
  }

  @Test
  void aPositionThatWentBackIsAFault() {
    ledger.add(probe("a", 100, 500));
    ledger.reachedBy(at(500));
    ledger.add(probe("a", 200, 4));
    assertThat(ledger.fault().orElseThrow()).contains("found binlog.000001:4");
    assertThat(ledger.reachedBy(at(900))).as("what was promised stays").contains(clock(100));
  }

  @Test
  void aClockBehindAnEarlierReadingHoldsThePromise() {
    ledger.add(probe("a", 300, 500));
    ledger.add(probe("a", 200, 600));
    assertThat(ledger.reachedBy(at(600))).contains(clock(300));
    assertThat(ledger.heldClocks()).isEqualTo(1);
    ledger.add(probe("a", 301, 700));
    assertThat(ledger.reachedBy(at(700))).contains(clock(301));
  }

  @Test
  void aReaderFarBehindCostsNoEndlessMemory() {
    for (int i = 0; i < 100_000; i++) {
      ledger.add(probe("a", i, i));
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
