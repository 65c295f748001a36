package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.SourcePosition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BinlogOrderTest {
  private static final String A = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
  private static final String B = "7a0b8c9d-71ca-11e1-9e33-c80aa9429562";

  @Test
  void ordersByTheNumberOfTheFileNotByItsText() {
    assertThat(
            BinlogOrder.reached(
                SourcePosition.of("binlog.1000000", 4), SourcePosition.of("binlog.999999", 900)))
        .isTrue();
    assertThat(
            BinlogOrder.reached(
                SourcePosition.of("binlog.999999", 900), SourcePosition.of("binlog.1000000", 4)))
        .isFalse();
  }

  @Test
  void ordersByTheOffsetWithinAFile() {
    SourcePosition target = SourcePosition.of("binlog.000002", 100);
    assertThat(BinlogOrder.reached(SourcePosition.of("binlog.000002", 99), target)).isFalse();
    assertThat(BinlogOrder.reached(SourcePosition.of("binlog.000002", 100), target)).isTrue();
  }

  @Test
  void aReaderWithinATransactionHasReachedItsBeginAndNotItsEnd() {
    SourcePosition within = new SourcePosition("binlog.000001", 400, Optional.empty(), 7, 3);
    assertThat(BinlogOrder.reached(within, SourcePosition.of("binlog.000001", 400))).isTrue();
    assertThat(BinlogOrder.reached(within, SourcePosition.of("binlog.000001", 401))).isFalse();
  }

  @Test
  void gtidsDecideWhereBothSidesHaveThem() {
    // Files of another server mean nothing here.
    assertThat(
            BinlogOrder.reached(
                gtids("other.000001", A + ":1-10"), gtids("binlog.000009", A + ":1-10")))
        .isTrue();
    assertThat(
            BinlogOrder.reached(
                gtids("other.000099", A + ":1-9"), gtids("binlog.000001", A + ":1-10")))
        .isFalse();
    assertThat(
            BinlogOrder.reached(
                gtids("x.000001", A + ":1-10," + B + ":1-3"), gtids("x.000001", B + ":2-3")))
        .isTrue();
    assertThat(BinlogOrder.reached(gtids("x.000009", A + ":1-10"), gtids("x.000001", B + ":1")))
        .isFalse();
  }

  @Test
  void aSetOnOneSideOnlyLeavesTheDecisionToTheFiles() {
    assertThat(
            BinlogOrder.reached(SourcePosition.of("x.000002", 4), gtids("x.000001", A + ":1-10")))
        .isTrue();
  }

  @Test
  void seesAPositionThatWentBack() {
    assertThat(
            BinlogOrder.wentBack(
                SourcePosition.of("binlog.000007", 9), SourcePosition.of("binlog.000001", 4)))
        .isTrue();
    assertThat(
            BinlogOrder.wentBack(
                SourcePosition.of("binlog.000007", 9), SourcePosition.of("binlog.000007", 9)))
        .isFalse();
    assertThat(BinlogOrder.wentBack(gtids("x.000001", A + ":1-9"), gtids("x.000001", A + ":1-8")))
        .isTrue();
  }

  @Test
  void refusesAFileWithoutANumber() {
    assertThatThrownBy(
            () ->
                BinlogOrder.reached(SourcePosition.of("binlog", 4), SourcePosition.of("binlog", 4)))
        .hasMessageContaining("Cannot compare binlog file 'binlog'");
  }

  @Test
  void readsGtidSetsWithGapsTagsAndLineBreaks() {
    GtidSet wide = GtidSet.parse(A + ":1-5:6-9:20,\n" + B + ":1-3:tag_a:1-7");
    assertThat(GtidSet.parse(A + ":2-8").isContainedIn(wide)).isTrue();
    assertThat(GtidSet.parse(A + ":9-20").isContainedIn(wide)).isFalse();
    assertThat(GtidSet.parse(B + ":tag_a:7").isContainedIn(wide)).isTrue();
    assertThat(GtidSet.parse(B + ":7").isContainedIn(wide)).isFalse();
    assertThat(GtidSet.parse("").isContainedIn(wide)).isTrue();
    assertThat(GtidSet.parse(A.toUpperCase(java.util.Locale.ROOT) + ":1").isContainedIn(wide))
        .isTrue();
    assertThatThrownBy(() -> GtidSet.parse("nonsense")).hasMessageContaining("nonsense");
    assertThatThrownBy(() -> GtidSet.parse(A + ":5-3")).hasMessageContaining("GTID set");
  }

  private static SourcePosition gtids(String file, String set) {
    return new SourcePosition(file, 4, Optional.of(set), 0, 0);
  }
}
