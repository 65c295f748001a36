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
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import io.tributary.registry.CopyReaders;
import io.tributary.registry.DesiredState;
import io.tributary.registry.PassThroughProperties;
import io.tributary.registry.SchemaChangeBehavior;
import io.tributary.registry.SecretRef;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.SourceTable;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JobPlanTest {
  private static final GroupName GROUP = new GroupName("g");

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
    return table(ShardPhase.ACTIVE, new TreeMap<>(), shards);
  }

  /** The table of before, in which these shards are halted as well. */
  private static Optional<TableState> halted(Optional<TableState> before, int... shards) {
    return table(ShardPhase.HALTED, new TreeMap<>(before.orElseThrow().shards()), shards);
  }

  private static Optional<TableState> table(
      ShardPhase phase, TreeMap<ShardId, ShardState> states, int... shards) {
    for (int shard : shards) {
      states.put(
          new ShardId(shard),
          new ShardState(
              GROUP,
              new ServerName("db1"),
              phase,
              Optional.of(new Watermark(Instant.EPOCH)),
              true,
              true,
              0,
              0,
              phase == ShardPhase.HALTED ? Optional.of("XA PREPARE") : Optional.empty()));
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
      JobPlan plan = JobPlan.of(sources, 2, table, Map.of());
      assertThat(plan.readers()).hasSize(1);
      assertThat(plan.readers().get(0).plan().source()).isEqualTo(new SourceId("source-db1"));
      assertThat(plan.readers().get(0).spec()).isEqualTo(sources.get(0));
    }
  }

  @Test
  void newShardsAreCopiedByAReaderWithReplicaIdsOfItsOwn() {
    JobPlan plan = JobPlan.of(List.of(server(5400, 5403, 1, 2, 3)), 2, active(1, 3), Map.of());

    assertThat(plan.sources())
        .extracting(source -> source.source() + " " + source.shards())
        .containsExactly("source-db1 [1, 3]", "source-db1-added [2]");
    assertThat(plan.readers())
        .extracting(reader -> reader.spec().firstServerId() + "-" + reader.spec().lastServerId())
        .containsExactly("5400-5401", "5402-5403");
  }

  @Test
  void refusesToCopyBesideOthersWithoutReplicaIdsForIt() {
    assertThatThrownBy(() -> JobPlan.of(List.of(server(5400, 5402, 1, 2)), 2, active(1), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot copy shards of server db1")
        .hasMessageContaining("expected 4 server ids")
        .hasMessageContaining("found 5400-5402");
  }

  private static ShardSpec shard(int id) {
    return new ShardSpec(
        new ShardId(id),
        new TableName("shop.orders"),
        GROUP,
        new ServerName("db1"),
        new SourceTable("shop", "orders_" + id),
        DesiredState.ACTIVE);
  }

  @Test
  void aHaltedShardIsNotReadAndTheOthersAre() {
    List<ShardSpec> shards = List.of(shard(1), shard(2), shard(3));

    assertThat(JobPlan.toRead(GROUP, shards, Optional.empty())).isEqualTo(shards);
    assertThat(JobPlan.toRead(GROUP, shards, active(1, 2))).isEqualTo(shards);
    assertThat(JobPlan.toRead(GROUP, shards, halted(active(1, 3), 2)))
        .containsExactly(shard(1), shard(3));
  }

  @Test
  void aGroupOfHaltedShardsAloneIsRefusedWithTheirReasons() {
    assertThatThrownBy(
            () -> JobPlan.toRead(GROUP, List.of(shard(1), shard(2)), halted(active(), 1, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot start group g: expected at least one active shard")
        .hasMessageContaining("shard 1 halted (XA PREPARE), shard 2 halted (XA PREPARE)")
        .hasMessageContaining("cure: remove the cause, pause the shard");
  }

  /** It neither counts as one to copy beside the others nor needs replica ids. */
  @Test
  void aHaltedShardAsksForNoReaderOfItsOwn() {
    JobPlan plan = JobPlan.of(List.of(server(5400, 5401, 1, 2, 3)), 2, halted(active(1, 3), 2));

    assertThat(plan.sources())
        .extracting(source -> source.source() + " " + source.shards())
        .containsExactly("source-db1 [1, 3]");
    assertThat(plan.readers().get(0).spec().lastServerId()).isEqualTo(5401);
  }

  @Test
  void readersAreNamedInOneLine() {
    assertThat(
            CopyReaders.text(
                CopyReaders.of(
                    new ServerName("db1"),
                    List.of(new ShardId(10), new ShardId(2), new ShardId(3), new ShardId(4)),
                    halted(active(2, 10), 4).orElseThrow().shards())))
        .isEqualTo("source-db1=2,10;source-db1-added=3");
  }
}
