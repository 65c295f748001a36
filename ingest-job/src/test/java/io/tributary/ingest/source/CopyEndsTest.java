package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.debezium.relational.TableId;
import io.tributary.protocol.SourcePosition;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.cdc.connectors.mysql.source.offset.BinlogOffset;
import org.apache.flink.cdc.connectors.mysql.source.split.FinishedSnapshotSplitInfo;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.junit.jupiter.api.Test;

class CopyEndsTest {
  private static final TableId TABLE = new TableId("d", null, "t");
  private static final TableId WHOLE = new TableId("d", null, "whole");

  private final MySqlBinlogSplit split =
      split(
          chunk(TABLE, null, "log.999999", 500),
          chunk(TABLE, 100L, "log.1000000", 300),
          chunk(TABLE, new BigDecimal("200.5"), "log.999999", 900),
          chunk(WHOLE, null, "log.999998", 100));
  private final CopyEnds ends = CopyEnds.of(split);

  @Test
  void aChangeIsInTheCopyWhenItBeginsBeforeTheEndOfItsRowsChunk() {
    assertThat(inCopy("99", "log.999999", 499)).isTrue();
    assertThat(inCopy("99", "log.999999", 500)).isFalse();
    assertThat(inCopy("-5", "log.1000000", 4)).as("no earlier than .999999").isFalse();
    assertThat(inCopy("100", "log.999999", 800)).isTrue();
    assertThat(inCopy("200", "log.1000000", 299)).isTrue();
    assertThat(inCopy("200.5", "log.999999", 899)).isTrue();
    assertThat(inCopy("900", "log.1000000", 4)).isFalse();
  }

  @Test
  void aTableThatIsNotCutHasOneEnd() {
    assertThat(ends.isInCopy(WHOLE, Optional.empty(), at("log.999998", 99))).isTrue();
    assertThat(ends.isInCopy(WHOLE, Optional.empty(), at("log.999998", 100))).isFalse();
    // Cut by what the registry says, but copied whole, as with numbers that are too large.
    assertThat(ends.isInCopy(WHOLE, Optional.of(BigDecimal.TEN), at("log.1000000", 4))).isFalse();
    assertThat(ends.isInCopy(new TableId("d", null, "new"), Optional.empty(), at("log.1", 4)))
        .isFalse();
    assertThatThrownBy(() -> ends.isInCopy(TABLE, Optional.empty(), at("log.1", 4)))
        .isInstanceOf(TerminalSourceException.class)
        .hasMessageContaining("expected a chunk for it, found none");
  }

  @Test
  void theFirstAndTheLastEndAreThoseByNumber() {
    assertThat(ends.last()).contains(at("log.1000000", 300));
    assertThat(CopyEnds.of(split()).last()).isEmpty();
    List<BinlogOffset> all =
        split.getFinishedSnapshotSplitInfos().stream()
            .map(FinishedSnapshotSplitInfo::getHighWatermark)
            .toList();
    assertThat(Positions.of(CopyEnds.fromFirst(split, all).getStartingOffset()))
        .isEqualTo(at("log.999998", 100));
    assertThat(CopyEnds.fromFirst(split, List.of())).isEqualTo(split);
  }

  @Test
  void theChangeReaderIsToldOfNoChunkOfATable() {
    MySqlBinlogSplit passing = CopyEnds.passingAll(split);
    assertThat(passing.getFinishedSnapshotSplitInfos())
        .singleElement()
        .satisfies(chunk -> assertThat(chunk.getTableId()).isNotIn(TABLE, WHOLE));
    assertThat(passing.isCompletedSplit()).isTrue();
    assertThat(passing.getStartingOffset()).isEqualTo(split.getStartingOffset());
  }

  @Test
  void largeUnsignedNumbersComeAsNegativeOnes() {
    assertThat(CopyEnds.chunkKey(-1L, true)).isEqualTo(new BigDecimal("18446744073709551615"));
    assertThat(CopyEnds.chunkKey(-1L, false)).isEqualTo(new BigDecimal("-1"));
    assertThat(CopyEnds.chunkKey(new BigDecimal("1.50"), true)).isEqualTo(new BigDecimal("1.50"));
  }

  private boolean inCopy(String key, String file, long position) {
    return ends.isInCopy(TABLE, Optional.of(new BigDecimal(key)), at(file, position));
  }

  private static SourcePosition at(String file, long position) {
    return SourcePosition.of(file, position);
  }

  private static FinishedSnapshotSplitInfo chunk(
      TableId table, Object start, String file, long position) {
    return new FinishedSnapshotSplitInfo(
        table,
        table + ":" + start,
        start == null ? null : new Object[] {start},
        null,
        BinlogOffset.ofBinlogFilePosition(file, position));
  }

  private static MySqlBinlogSplit split(FinishedSnapshotSplitInfo... chunks) {
    return new MySqlBinlogSplit(
        "binlog-split",
        BinlogOffset.ofBinlogFilePosition("log.1000000", 4),
        BinlogOffset.ofNonStopping(),
        Arrays.asList(chunks),
        Map.of(),
        chunks.length);
  }
}
