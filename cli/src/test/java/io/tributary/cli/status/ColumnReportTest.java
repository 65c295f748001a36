package io.tributary.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ColumnReportTest {
  private static final Map<Integer, String> NAMES =
      Map.of(1, "shard_id", 2, "id", 3, "price", 4, "note", 5, "Cost");

  private final SortedMap<ShardId, ShardState> shards = new TreeMap<>();

  private void shard(int number, ShardPhase phase, ColumnDifferences columns) {
    shards.put(
        new ShardId(number),
        new ShardState(
            new GroupName("a"),
            new ServerName("db"),
            phase,
            Optional.empty(),
            true,
            false,
            0,
            0,
            Optional.empty(),
            columns));
  }

  private List<String> texts() {
    TableState state =
        new TableState(
            new TableUuid(new UUID(1, 2)),
            new RoundNumber(3),
            new Term(1),
            new OwnerId(new UUID(3, 4)),
            new PlanId(new UUID(5, 6)),
            1,
            0,
            Optional.empty(),
            Optional.empty(),
            false,
            FileCounts.NONE,
            FileCounts.NONE,
            Instant.EPOCH,
            new TreeMap<>(),
            shards,
            new TreeMap<>());
    return ColumnReport.of(state, NAMES).stream().map(ColumnReport::text).toList();
  }

  @Test
  void namesWhoHasRenamedAColumnAndWhoHasNot() {
    for (int i = 0; i < 7; i++) {
      shard(i, ShardPhase.SNAPSHOT, ColumnDifferences.renamed(Map.of(4, "remark")));
    }
    shard(7, ShardPhase.SNAPSHOT, ColumnDifferences.NONE);
    shard(8, ShardPhase.RETIRED, ColumnDifferences.NONE);
    assertThat(texts())
        .containsExactly(
            "column 'note' is renamed to 'remark' at shards 0, 1, 2, 3, 4, 5, 6, not yet at shard 7; the table follows when all shards have");
  }

  @Test
  void namesWhatStandsInTheWay() {
    shard(0, ShardPhase.SNAPSHOT, ColumnDifferences.renamed(Map.of(3, "cost")));
    assertThat(texts())
        .containsExactly(
            "column 'price' is renamed to 'cost' at shard 0, but the table has another column 'Cost'; cure: rename or drop that one, or rename this one otherwise at all shards");
  }

  @Test
  void namesWhatIsDroppedAndWhatIsNotFilledIn() {
    shard(
        0,
        ShardPhase.SNAPSHOT,
        new ColumnDifferences(
            new TreeMap<>(), new TreeSet<>(List.of(4)), new TreeSet<>(List.of(3))));
    for (int i = 1; i <= 21; i++) {
      shard(
          i,
          ShardPhase.SNAPSHOT,
          new ColumnDifferences(new TreeMap<>(), new TreeSet<>(), new TreeSet<>(List.of(5, 99))));
    }
    assertThat(texts())
        .containsExactly(
            "column 'price' came with a value in the old rows of shard 0, which are NULL in the table; cure: copy them anew where that matters",
            "column 'note' is dropped at shard 0; the table keeps it",
            "column 'Cost' came with a value in the old rows of shards 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 1 more, which are NULL in the table; cure: copy them anew where that matters");
  }

  @Test
  void whatTheTableHasByNowIsNoDifference() {
    shard(0, ShardPhase.SNAPSHOT, ColumnDifferences.renamed(Map.of(3, "price", 77, "gone")));
    assertThat(texts()).isEmpty();
  }
}
