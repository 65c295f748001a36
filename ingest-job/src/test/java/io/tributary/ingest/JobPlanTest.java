package io.tributary.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.source.SchemaPolicy;
import io.tributary.ingest.source.SourceSpec;
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
import io.tributary.protocol.Watermark;
import io.tributary.registry.PassThroughProperties;
import io.tributary.registry.SchemaChangeBehavior;
import io.tributary.registry.SecretRef;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JobPlanTest {
  private static SourceSpec server(long firstId, long lastId, int... shards) {
    return new SourceSpec(
        new ServerName("db1"),
        new SourceSpec.Connection(
            "127.0.0.1",
            3306,
            "cdc",
            new SecretRef.EnvironmentVariable("DB1_PASSWORD"),
            PassThroughProperties.NONE),
        Arrays.stream(shards)
            .mapToObj(shard -> new SourceSpec.Shard(new ShardId(shard), "shop", "orders_" + shard))
            .toList(),
        new RowLayout(
            "shard_id",
            List.of(
                new RowLayout.Column("id", ColumnType.of(ColumnType.Kind.LONG), "bigint", false)),
            List.of(0)),
        new SchemaPolicy(SchemaChangeBehavior.EVOLVE, Map.of()),
        firstId,
        lastId,
        new SourceSpec.Snapshot(
            new SourceSpec.Chunks.ByColumn("id", 100), SourceSpec.Snapshot.UNLIMITED, 1),
        SourceSpec.Timing.DEFAULT,
        Map.of());
  }

  private static Optional<TableState> active(int... shards) {
    TreeMap<ShardId, ShardState> states = new TreeMap<>();
    for (int shard : shards) {
      states.put(
          new ShardId(shard),
          new ShardState(
              new GroupName("g"),
              new ServerName("db1"),
              ShardPhase.ACTIVE,
              Optional.of(new Watermark(Instant.EPOCH)),
              true,
              true,
              0,
              0,
              Optional.empty()));
    }
    return Optional.of(
        new TableState(
            new TableUuid(new UUID(1, 1)),
            new RoundNumber(1),
            new Term(1),
            new OwnerId(new UUID(2, 2)),
            new PlanId(new UUID(3, 3)),
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            false,
            FileCounts.NONE,
            FileCounts.NONE,
            Instant.EPOCH,
            new TreeMap<>(),
            states,
            new TreeMap<>()));
  }

  @Test
  void aServerHasOneReaderWhileNoneOrAllOfItsShardsAreActive() {
    List<SourceSpec> sources = List.of(server(5400, 5401, 1, 2));

    for (Optional<TableState> table :
        List.of(Optional.<TableState>empty(), active(), active(1, 2))) {
      JobPlan plan = JobPlan.of(sources, 2, table);
      assertThat(plan.readers()).hasSize(1);
      assertThat(plan.readers().get(0).plan().source()).isEqualTo(new SourceId("source-db1"));
      assertThat(plan.readers().get(0).spec()).isEqualTo(sources.get(0));
    }
  }

  @Test
  void newShardsAreCopiedByAReaderWithReplicaIdsOfItsOwn() {
    JobPlan plan = JobPlan.of(List.of(server(5400, 5403, 1, 2, 3)), 2, active(1, 3));

    assertThat(plan.sources())
        .extracting(source -> source.source() + " " + source.shards())
        .containsExactly("source-db1 [1, 3]", "source-db1-added [2]");
    assertThat(plan.readers())
        .extracting(reader -> reader.spec().firstServerId() + "-" + reader.spec().lastServerId())
        .containsExactly("5400-5401", "5402-5403");
  }

  @Test
  void refusesToCopyBesideOthersWithoutReplicaIdsForIt() {
    assertThatThrownBy(() -> JobPlan.of(List.of(server(5400, 5402, 1, 2)), 2, active(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot copy new shards of server db1")
        .hasMessageContaining("expected 4 server ids")
        .hasMessageContaining("found 5400-5402");
  }
}
