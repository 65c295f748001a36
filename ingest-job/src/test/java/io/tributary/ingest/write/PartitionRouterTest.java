package io.tributary.ingest.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.table.OrdersTable;
import io.tributary.protocol.ShardId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class PartitionRouterTest {
  private final PartitionRouter router =
      new PartitionRouter(
          OrdersTable.PROPOSAL, List.of(new ShardId(900), new ShardId(4), new ShardId(17)));

  @Test
  void everyPartitionHasOneWriterAndPartitionsAreDealtOutEvenly() {
    Map<Integer, Integer> partitionsOfWriter = new HashMap<>();
    Map<String, Integer> writerOfPartition = new HashMap<>();
    for (int shard : List.of(4, 17, 900)) {
      for (long id = 0; id < 200; id++) {
        int writer =
            new PartitionRouter.Deal()
                .partition(router.getKey(OrdersTable.copy(shard, id, "x")), 4);
        int bucket =
            Transforms.<Long>bucket(OrdersTable.BUCKETS).bind(Types.LongType.get()).apply(id);
        Integer before = writerOfPartition.put(shard + "/" + bucket, writer);
        if (before == null) {
          partitionsOfWriter.merge(writer, 1, Integer::sum);
        } else {
          assertThat(before).isEqualTo(writer);
        }
      }
    }
    assertThat(partitionsOfWriter).hasSize(4);
    assertThat(partitionsOfWriter.values()).allMatch(count -> count == 2 || count == 3);
  }

  @Test
  void refusesARowOfAShardThatTheJobDoesNotRead() {
    assertThatThrownBy(() -> router.getKey(OrdersTable.copy(5, 1, "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot route a row of shard 5");
  }
}
