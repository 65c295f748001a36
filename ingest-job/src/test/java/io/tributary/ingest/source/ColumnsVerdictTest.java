package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardFit;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ColumnsVerdictTest {
  private static final ShardId ONE = new ShardId(1);
  private static final ShardId TWO = new ShardId(2);
  private static final SourcePosition HERE = SourcePosition.of("binlog.000001", 4_711);
  private static final RequestedColumn PRICE = new RequestedColumn("price", "long");
  private static final RowLayout LAYOUT =
      new RowLayout(
          "shard_id",
          List.of(new RowLayout.Column("id", ColumnType.of(ColumnType.Kind.LONG), "bigint", false)),
          List.of(0));

  private static final ShardFit FITS =
      new ShardFit(LAYOUT, List.of(), List.of(), ColumnBindings.NONE, ColumnDifferences.NONE);
  private static final ShardFit LACKS =
      new ShardFit(LAYOUT, List.of(PRICE), List.of(), ColumnBindings.NONE, ColumnDifferences.NONE);

  @Test
  void aSourceWhoseShardsAllFitReadsOn() {
    assertThat(
            ColumnsVerdict.of(
                Map.of(ONE, FITS, TWO, FITS), HERE, EnumSet.allOf(SealerProtection.class)))
        .isEqualTo(new ColumnsVerdict.Fitting(Map.of(ONE, LAYOUT, TWO, LAYOUT)));
  }

  @Test
  void aSourceWaitsWhenTheTableLacksColumnsOfOneOfItsShards() {
    assertThat(
            ColumnsVerdict.of(
                Map.of(ONE, FITS, TWO, LACKS), HERE, EnumSet.allOf(SealerProtection.class)))
        .isEqualTo(new ColumnsVerdict.Lacking(List.of(new SchemaWish(TWO, List.of(PRICE), HERE))));
  }

  @Test
  void withoutTheRuleRowsAreReadThatTheTableHasNoColumnsFor() {
    assertThat(
            ColumnsVerdict.of(
                Map.of(TWO, LACKS),
                HERE,
                EnumSet.complementOf(EnumSet.of(SealerProtection.COLUMNS_BEFORE_ROWS))))
        .isEqualTo(new ColumnsVerdict.Fitting(Map.of(TWO, LAYOUT)));
  }
}
