package io.tributary.protocol;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Fixed messages; the golden files hold their bytes, so nothing here may change. */
final class Samples {
  static final TableName TABLE = new TableName("shop.products");
  static final TableUuid TABLE_UUID = TableUuid.parse("0d9f4c1e-6a57-4f0e-9a5b-3b1f5d2c7e10");
  static final GroupName GROUP = new GroupName("group-a");
  static final ServerName SERVER = new ServerName("mysql-1");
  static final ServerName OTHER_SERVER = new ServerName("mysql-2");
  static final SubmissionId SUBMISSION = SubmissionId.parse("5c1d9b52-7f3e-4d0a-8a63-2f0d6c0e4b11");
  static final Instant NOW = Instant.parse("2026-11-30T02:00:00.123456Z");
  static final Watermark WATERMARK = new Watermark(Instant.parse("2026-11-30T01:59:58.5Z"));
  static final String GTIDS = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:11-18";

  private Samples() {}

  static Hello hello(Optional<Continuation> continuation) {
    return new Hello(
        TABLE,
        GROUP,
        new Incarnation(7),
        SUBMISSION,
        continuation,
        new TableProposal(
            "{\"type\":\"struct\",\"schema-id\":0,\"identifier-field-ids\":[1,2],\"fields\":"
                + "[{\"id\":1,\"name\":\"shard_id\",\"required\":true,\"type\":\"int\"},"
                + "{\"id\":2,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
                + "{\"id\":3,\"name\":\"이름\",\"required\":false,\"type\":\"string\"}]}",
            "shard_id",
            "id",
            5),
        List.of(new ShardId(1), new ShardId(0), new ShardId(12)),
        3,
        NOW);
  }

  static SchemaRequest schemaRequest() {
    return new SchemaRequest(
        TABLE,
        TABLE_UUID,
        GROUP,
        new Incarnation(7),
        SUBMISSION,
        new ShardId(12),
        List.of(new RequestedColumn("수량", "decimal(20, 4)"), new RequestedColumn("id", "long")),
        SourcePosition.of("mysql-bin.000123", 4_711),
        NOW);
  }

  static Continuation continuation() {
    return new Continuation(new Epoch(41), ChainHash.first(TABLE_UUID, GROUP));
  }

  static CommittableManifest inline(ManifestContent content, String bytes) {
    return CommittableManifest.Inline.of(content, bytes.getBytes(StandardCharsets.UTF_8));
  }

  static List<Slice> slices() {
    return List.of(
        new Slice(
            new TreeSet<>(List.of(new ShardId(12), new ShardId(1))),
            List.of(inline(ManifestContent.DATA, "appended rows of the initial snapshot")),
            new FileCounts(2, 2_000, 0, 0, 0, 0, 150_000)),
        Slice.of(
            List.of(
                new CommittableManifest.Stored(
                    ManifestContent.DATA,
                    "file:/warehouse/shop/products/metadata/tributary/group-a-42-data.avro",
                    1_234_567,
                    CommittableManifest.hash("stored".getBytes(StandardCharsets.UTF_8))),
                inline(ManifestContent.DELETES, "deleted rows \u0000\u00ff of the changes")),
            new FileCounts(3, 300, 2, 20, 1, 4, 60_000)));
  }

  static List<ShardProgress> shards() {
    return List.of(
        new ShardProgress(
            new ShardId(0),
            SERVER,
            ShardPhase.ACTIVE,
            Optional.of(WATERMARK),
            1_000,
            990,
            Optional.empty()),
        new ShardProgress(
            new ShardId(1),
            OTHER_SERVER,
            ShardPhase.SNAPSHOT,
            Optional.empty(),
            500,
            2_000,
            Optional.empty()),
        new ShardProgress(
            new ShardId(12),
            OTHER_SERVER,
            ShardPhase.HALTED,
            Optional.of(WATERMARK),
            0,
            0,
            Optional.of(
                "Cannot read on: expected a binlog event, found XA PREPARE at m.000004:99")));
  }

  static List<SourceProgress> sources() {
    return List.of(
        new SourceProgress(
            SERVER,
            Optional.of(new SourcePosition("mysql-bin.000007", 4_711, Optional.of(GTIDS), 3, 2))),
        new SourceProgress(OTHER_SERVER, Optional.empty()));
  }

  static Committable committable() {
    ChainHash previous = ChainHash.first(TABLE_UUID, GROUP);
    return new Committable(
        TABLE,
        TABLE_UUID,
        GROUP,
        new Incarnation(7),
        SUBMISSION,
        new Epoch(42),
        previous,
        ChainHash.of(TABLE_UUID, GROUP, new Epoch(42), previous, slices(), shards(), sources()),
        2,
        1,
        2,
        3,
        99,
        NOW,
        slices(),
        shards(),
        sources());
  }

  static TableState state() {
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    groups.put(
        GROUP,
        new GroupState(
            new Incarnation(7),
            SUBMISSION,
            120,
            HelloAnswer.CONTINUE,
            new Epoch(41),
            new Epoch(42),
            committable().chain(),
            Optional.empty()));
    groups.put(
        new GroupName("group-b"),
        new GroupState(
            new Incarnation(1),
            SubmissionId.parse("00000000-0000-4000-8000-000000000001"),
            3,
            HelloAnswer.START_FROM_TABLE,
            new Epoch(0),
            new Epoch(9),
            ChainHash.first(TABLE_UUID, new GroupName("group-b")),
            Optional.of(
                new Halt(
                    HaltCode.GAP,
                    "Cannot commit epoch 11: expected epoch 10, found \"없음\"",
                    NOW))));
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    shards.put(
        new ShardId(0),
        new ShardState(
            GROUP,
            SERVER,
            ShardPhase.ACTIVE,
            Optional.of(WATERMARK),
            true,
            true,
            1_000,
            990,
            Optional.empty()));
    shards.put(
        new ShardId(1),
        new ShardState(
            GROUP,
            OTHER_SERVER,
            ShardPhase.SNAPSHOT,
            Optional.empty(),
            true,
            false,
            500,
            2_000,
            Optional.empty()));
    shards.put(
        new ShardId(12),
        new ShardState(
            new GroupName("group-b"),
            OTHER_SERVER,
            ShardPhase.HALTED,
            Optional.of(WATERMARK),
            true,
            false,
            0,
            0,
            Optional.of("Cannot read on: expected a binlog event, found XA PREPARE")));
    shards.put(new ShardId(13), ShardState.registered(new GroupName("group-b"), OTHER_SERVER));
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    sources.put(
        new SourceKey(GROUP, SERVER),
        new SourcePosition("mysql-bin.000007", 4_711, Optional.of(GTIDS), 3, 2));
    sources.put(
        new SourceKey(new GroupName("group-b"), OTHER_SERVER),
        SourcePosition.of("mariadb-bin.000001", 328));
    return new TableState(
        TABLE_UUID,
        new RoundNumber(17),
        new Term(4),
        OwnerId.parse("9a3f2b10-0000-4000-8000-00000000000a"),
        PlanId.parse("9a3f2b10-0000-4000-8000-00000000000b"),
        3,
        121,
        Optional.of(WATERMARK),
        Optional.of(
            new IcebergSnapshot(
                9_007_199_254_740_993L, OptionalLong.of(8_912_345_678_901_234_567L), 21)),
        true,
        new FileCounts(5, 2_300, 2, 20, 1, 4, 210_000),
        new FileCounts(1, 10, 0, 0, 0, 0, 1_000),
        NOW,
        groups,
        shards,
        sources);
  }

  /** A table before its first data: nothing is there, and nothing is complete. */
  static TableState emptyState() {
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    shards.put(new ShardId(0), ShardState.registered(GROUP, SERVER));
    return new TableState(
        TABLE_UUID,
        new RoundNumber(1),
        new Term(1),
        OwnerId.parse("9a3f2b10-0000-4000-8000-00000000000a"),
        PlanId.parse("9a3f2b10-0000-4000-8000-00000000000b"),
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        Instant.parse("2026-11-30T02:00:00Z"),
        new TreeMap<>(),
        shards,
        new TreeMap<>());
  }

  /** A state that an operator accepted: announced further than it is, its group to be started. */
  static TableState acceptedState() {
    TableState before = emptyState();
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    groups.put(
        GROUP,
        new GroupState(
            new Incarnation(8),
            SubmissionId.parse("5c1d9b52-7f3e-4b1a-9a51-0e6d1c2b3a4f"),
            120,
            HelloAnswer.START_FROM_TABLE,
            new Epoch(42),
            new Epoch(42),
            ChainHash.anew(TABLE_UUID, GROUP, before.owner()),
            Optional.of(
                new Halt(
                    HaltCode.STATE_ACCEPTED,
                    "Cannot go on with group group-a: expected a new submission, found none",
                    NOW))));
    return new TableState(
        TABLE_UUID,
        new RoundNumber(18),
        new Term(5),
        before.owner(),
        before.plan(),
        3,
        121,
        Optional.empty(),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        NOW,
        groups,
        before.shards(),
        new TreeMap<>(),
        Optional.of(
            new Acceptance(
                new RoundNumber(18),
                NOW,
                "anna",
                Optional.of(new Acceptance.Announced(TABLE_UUID, new RoundNumber(17), new Term(4))),
                Optional.of(WATERMARK))));
  }

  static UUID uuid(java.util.Random random) {
    return new UUID(random.nextLong(), random.nextLong());
  }

  static ColumnDifferences columns() {
    return new ColumnDifferences(
        new TreeMap<>(java.util.Map.of(3, "title", 12, "数量")),
        new java.util.TreeSet<>(List.of(4, 7)),
        new java.util.TreeSet<>(List.of(9)));
  }

  /** An epoch of shards with other columns than the table's. */
  static Committable committableWithColumns() {
    Committable plain = committable();
    List<ShardProgress> shards =
        shards().stream()
            .map(shard -> shard.shard().value() == 1 ? shard : shard.with(columns()))
            .toList();
    return new Committable(
        plain.table(),
        plain.tableUuid(),
        plain.group(),
        plain.incarnation(),
        plain.submission(),
        plain.epoch(),
        plain.previous(),
        ChainHash.of(
            plain.tableUuid(),
            plain.group(),
            plain.epoch(),
            plain.previous(),
            plain.slices(),
            shards,
            plain.sources()),
        plain.schemaId(),
        plain.specId(),
        plain.formatVersion(),
        plain.registryVersion(),
        plain.checkpointId(),
        plain.sealedAt(),
        plain.slices(),
        shards,
        plain.sources());
  }

  /** A table whose shards 0 and 12 have other columns than it has. */
  static TableState stateWithColumns() {
    TableState plain = state();
    SortedMap<ShardId, ShardState> shards = new TreeMap<>(plain.shards());
    shards.computeIfPresent(new ShardId(0), (id, shard) -> shard.with(columns()));
    shards.computeIfPresent(new ShardId(12), (id, shard) -> shard.with(columns()));
    return new TableState(
        plain.tableUuid(),
        plain.round(),
        plain.term(),
        plain.owner(),
        plain.plan(),
        plain.registryVersion(),
        plain.controlOffset(),
        plain.validThrough(),
        plain.snapshot(),
        plain.dataRound(),
        plain.added(),
        plain.removed(),
        plain.committedAt(),
        plain.groups(),
        shards,
        plain.sources());
  }
}
