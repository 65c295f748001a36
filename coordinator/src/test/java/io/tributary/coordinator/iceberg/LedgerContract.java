package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.LedgerProblem;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.coordinator.core.StateAcceptance;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableFindings;
import io.tributary.coordinator.core.TableLook;
import io.tributary.coordinator.iceberg.TableFiles.Row;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the coordinator needs of the ledger on any catalog that it supports. */
abstract class LedgerContract {
  static final TableName NAME = new TableName("shop.orders");
  static final GroupName G1 = new GroupName("g1");
  static final GroupName G2 = new GroupName("g2");
  static final ServerName SERVER = new ServerName("mysql-1");
  static final String ID = NAME.value();

  final ExecutorService readers = Executors.newFixedThreadPool(4);
  Catalog catalog;
  UnreliableCatalog network;
  TableLedger ledger;

  abstract Catalog openCatalog() throws Exception;

  abstract void closeCatalog() throws Exception;

  @BeforeEach
  void open() throws Exception {
    catalog = openCatalog();
    network = new UnreliableCatalog(TableLedger.in(catalog, NAME));
    ledger = ledgerOver(network);
  }

  @AfterEach
  void close() throws Exception {
    readers.shutdownNow();
    closeCatalog();
  }

  private TableLedger ledgerOver(UnreliableCatalog over) {
    return new TableLedger(NAME, over, false, readers, LedgerHooks.NONE, Protections.all());
  }

  TableLedger otherLedger() {
    return new TableLedger(
        NAME, TableLedger.in(catalog, NAME), false, readers, LedgerHooks.NONE, Protections.all());
  }

  @Test
  void createsATableWithItsFirstState() {
    TableState state = create();

    Table table = table();
    assertThat(state.tableUuid().toString()).isEqualTo(table.uuid().toString());
    assertThat(state.round()).isEqualTo(new RoundNumber(0));
    assertThat(table.schema().columns())
        .extracting(Types.NestedField::name)
        .containsExactly("shard_id", "id", "name");
    assertThat(table.schema().identifierFieldNames()).containsExactlyInAnyOrder("shard_id", "id");
    assertThat(table.spec().fields())
        .extracting(f -> f.transform().toString())
        .containsExactly("identity", "bucket[1]");
    assertThat(table.properties())
        .contains(
            entry("engine.hive.lock-enabled", "false"),
            entry("commit.manifest-merge.enabled", "false"),
            entry("write.metadata.delete-after-commit.enabled", "true"),
            entry("write.parquet.compression-codec", "zstd"),
            entry("owner", "orders-team"),
            entry("comment", "of the test"));
    assertThat(ledger.read()).isEqualTo(new TableLook.Present(state, layout()));
  }

  @Test
  void creatingTwiceFindsTheOthersTable() {
    TableState first = create();

    SwapOutcome second = creator().create(creation());

    assertThat(second).isEqualTo(new SwapOutcome.Conflict(first));
  }

  @Test
  void refusesATableWithoutItsState() {
    create();
    Table table = table();
    var update = table.updateProperties();
    table.properties().keySet().stream()
        .filter(key -> key.startsWith("tributary.state."))
        .forEach(update::remove);
    update.commit();

    assertThat(ledger.read())
        .isInstanceOfSatisfying(
            TableLook.Unusable.class,
            found -> assertThat(found.reason()).contains("expected the coordinator's state"));
    assertThat(creator().create(creation())).isInstanceOf(SwapOutcome.TableHalted.class);
  }

  @Test
  void saysHowATableDiffersFromAProposal() {
    create();
    ledger.read();

    assertThat(ledger.misfit(proposal())).isEmpty();
    assertThat(
            ledger.misfit(
                new TableProposal(
                    SchemaParser.toJson(
                        new Schema(
                            List.of(
                                Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                                Types.NestedField.required(2, "id", Types.StringType.get()),
                                Types.NestedField.optional(3, "NAME", Types.StringType.get())),
                            java.util.Set.of(1, 2))),
                    "shard_id",
                    "id",
                    4)))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .contains("expected column id string not null, found id long not null")
                    .contains("expected column NAME string, found name string")
                    .contains("bucket[4](id)]"));
  }

  @Test
  void columnsThatComeOrWidenOneShardAfterTheOtherAreNoMisfit() {
    create();
    ledger.read();

    assertThat(
            ledger.misfit(
                new TableProposal(
                    SchemaParser.toJson(
                        new Schema(
                            List.of(
                                Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                                Types.NestedField.required(2, "id", Types.IntegerType.get()),
                                Types.NestedField.optional(3, "price", Types.LongType.get())),
                            java.util.Set.of(1, 2))),
                    "shard_id",
                    "id",
                    1)))
        .isEmpty();
  }

  @Test
  void addsTheColumnsThatJobsAskForInTheSwapOfTheRound() {
    TableState state = claimed();
    TableFiles before = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, before.rows(1, new Row(1, "a")))))));
    int schemaBefore = table().schema().schemaId();
    TableFiles files = new TableFiles(table());
    Slice change = files.upsert(1, new Row(2, "b"));
    List<RequestedColumn> columns =
        List.of(new RequestedColumn("price", "int"), new RequestedColumn("note", "string"));

    TableState done = done(ledger.commit(with(columns, plan(state, layer(part(G1, 2, change))))));

    Table table = table();
    assertThat(table.schema().schemaId()).isNotEqualTo(schemaBefore);
    assertThat(table.schema().columns())
        .extracting(Types.NestedField::name)
        .containsExactly("shard_id", "id", "name", "price", "note");
    assertThat(table.schema().findField("price").isOptional()).isTrue();
    assertThat(table.snapshots()).hasSize(2);
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"), entry("1/2", "b"));
    assertThat(ledger.read()).isEqualTo(new TableLook.Present(done, layout()));
  }

  @Test
  void aColumnThatIsAskedForTwiceHasOneIdAndIsAsWideAsTheWidest() {
    TableState state = claimed();
    state =
        done(
            ledger.commit(
                with(
                    List.of(
                        new RequestedColumn("price", "int"),
                        new RequestedColumn("price", "long"),
                        new RequestedColumn("amount", "decimal(10, 2)")),
                    plan(state))));
    int id = table().schema().findField("price").fieldId();
    assertThat(table().schema().findField("price").type()).isEqualTo(Types.LongType.get());

    state =
        done(
            ledger.commit(
                with(
                    List.of(
                        new RequestedColumn("price", "int"),
                        new RequestedColumn("amount", "decimal(12, 2)"),
                        new RequestedColumn("amount", "decimal(11, 2)")),
                    plan(state))));

    assertThat(table().schema().findField("price").fieldId()).isEqualTo(id);
    assertThat(table().schema().findField("price").type()).isEqualTo(Types.LongType.get());
    assertThat(table().schema().findField("amount").type()).isEqualTo(Types.DecimalType.of(12, 2));
    assertThat(ledger.read()).isInstanceOf(TableLook.Present.class);
  }

  @Test
  void aRequestThatContradictsTheTableChangesNothing() {
    TableState state = claimed();
    Schema before = table().schema();

    done(
        ledger.commit(
            with(
                List.of(
                    new RequestedColumn("name", "long"),
                    new RequestedColumn("NAME", "string"),
                    new RequestedColumn("id", "int")),
                plan(state))));

    assertThat(table().schema().sameSchema(before)).isTrue();
  }

  @Test
  void columnsThatAreAddedBehindAForeignSnapshotLeaveTheTagWhereItIs() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    table().newAppend().appendFile(files.data(1, new Row(2, "foreign"))).commit();

    TableState done =
        done(ledger.commit(with(List.of(new RequestedColumn("price", "int")), plan(state))));

    assertThat(done.snapshot()).isEqualTo(state.snapshot());
    assertThat(table().refs().get("tributary").snapshotId())
        .isEqualTo(state.snapshot().orElseThrow().id());
    assertThat(ledger.read()).isEqualTo(new TableLook.Present(done, layout()));
  }

  private static RoundPlan renaming(
      Map<Integer, String> names, List<RequestedColumn> columns, RoundPlan plan) {
    return new RoundPlan(
        plan.expected(), columns, new TreeMap<>(names), plan.layers(), plan.next());
  }

  @Test
  void aColumnThatAllShardsRenamedKeepsItsFieldAndItsValuesAlsoOfFilesThatComeLate() {
    TableState state = claimed();
    TableFiles before = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, before.rows(1, new Row(1, "a")))))));
    Slice late = before.upsert(1, new Row(3, "late"));
    Slice change = before.upsert(1, new Row(2, "b"));
    RoundPlan plan = plan(state, layer(part(G1, 2, change)));
    SortedMap<ShardId, ShardState> shards = new TreeMap<>(plan.next().shards());
    shards.replaceAll(
        (id, shard) ->
            shard.with(
                new ColumnDifferences(
                    new TreeMap<>(Map.of(3, "title", 99, "gone")),
                    new TreeSet<>(List.of(2, 98)),
                    new TreeSet<>())));
    TableState next = with(shards, plan.next());

    TableState done =
        done(
            ledger.commit(
                renaming(
                    Map.of(3, "title", 99, "gone"),
                    // Asked for by a shard that takes it for a new one: it is there by then.
                    List.of(new RequestedColumn("title", "string")),
                    new RoundPlan(plan.expected(), plan.layers(), next))));

    assertThat(table().schema().columns())
        .extracting(Types.NestedField::fieldId, Types.NestedField::name)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(1, "shard_id"),
            org.assertj.core.groups.Tuple.tuple(2, "id"),
            org.assertj.core.groups.Tuple.tuple(3, "title"));
    assertThat(new TableFiles(table()).visible("title"))
        .containsExactly(entry("1/1", "a"), entry("1/2", "b"));
    // What shards differ in no more is forgotten.
    assertThat(done.shards().values())
        .allSatisfy(
            shard -> {
              assertThat(shard.columns().renamed()).isEmpty();
              assertThat(shard.columns().dropped()).containsExactly(2);
            });
    // An epoch of before comes late, and says what it said.
    TableState after =
        done(
            ledger.commit(
                renaming(Map.of(3, "title"), List.of(), plan(done, layer(part(G1, 3, late))))));
    assertThat(new TableFiles(table()).visible("title"))
        .containsExactly(entry("1/1", "a"), entry("1/2", "b"), entry("1/3", "late"));
    assertThat(ledger.read()).isEqualTo(new TableLook.Present(after, layout()));
  }

  @Test
  void aColumnWhoseNewNameAnotherHasOrThatIsAKeyKeepsItsName() {
    TableState state = claimed();
    state = done(ledger.commit(with(List.of(new RequestedColumn("Title", "string")), plan(state))));
    Schema before = table().schema();

    done(
        ledger.commit(
            renaming(
                Map.of(1, "shard", 2, "key", 3, "title"),
                List.of(new RequestedColumn("name", "string")),
                plan(state))));

    assertThat(table().schema().sameSchema(before)).isTrue();
  }

  @Test
  void aColumnThatIsRenamedMeanwhileIsWidenedByItsField() {
    TableState state = claimed();
    state = done(ledger.commit(with(List.of(new RequestedColumn("price", "int")), plan(state))));
    int price = table().schema().findField("price").fieldId();

    state =
        done(
            ledger.commit(
                renaming(
                    Map.of(price, "cost"),
                    List.of(
                        new RequestedColumn("price", "long", Optional.of(price)),
                        new RequestedColumn("gone", "long", Optional.of(77))),
                    plan(state))));

    assertThat(table().schema().findField("cost").fieldId()).isEqualTo(price);
    assertThat(table().schema().findField("cost").type()).isEqualTo(Types.LongType.get());
    assertThat(table().schema().columns()).hasSize(4);
  }

  private static TableState with(SortedMap<ShardId, ShardState> shards, TableState state) {
    return new TableState(
        state.tableUuid(),
        state.round(),
        state.term(),
        state.owner(),
        state.plan(),
        state.registryVersion(),
        state.controlOffset(),
        state.validThrough(),
        state.snapshot(),
        state.dataRound(),
        state.added(),
        state.removed(),
        state.committedAt(),
        state.groups(),
        shards,
        state.sources());
  }

  static RoundPlan with(List<RequestedColumn> columns, RoundPlan plan) {
    return new RoundPlan(plan.expected(), columns, plan.renames(), plan.layers(), plan.next());
  }

  @Test
  void anAbsentTableIsAbsentUntilItWasSeen() {
    assertThat(ledger.read()).isEqualTo(new TableLook.Absent());
    create();
    ledger.read();
    catalog.dropTable(TableIdentifier.parse(ID), false);

    assertThat(ledger.read()).isInstanceOf(TableLook.Unusable.class);
  }

  @Test
  void commitsARoundOfSeveralLayersInOneSwap() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    Slice copy = files.rows(1, new Row(1, "copied"), new Row(2, "kept"));
    Slice change = files.upsert(1, new Row(1, "changed"));
    Slice other = files.rows(2, new Row(7, "other group"));

    TableState done =
        done(
            ledger.commit(
                plan(
                    state,
                    layer(part(G1, 1, copy), part(G2, 1, other)),
                    layer(part(G1, 1, change)))));

    assertThat(files.visibleRows())
        .containsExactly(
            entry("1/1", "changed"), entry("1/2", "kept"), entry("2/7", "other group"));
    Table table = table();
    assertThat(table.snapshots()).hasSize(2);
    assertThat(done.snapshot().orElseThrow().id())
        .isEqualTo(table.currentSnapshot().snapshotId())
        .isEqualTo(table.refs().get("tributary").snapshotId());
    assertThat(done.snapshot().orElseThrow().parentId())
        .hasValue(table.currentSnapshot().parentId());
    assertThat(done.dataRound()).isTrue();
    assertThat(done.added().dataRecords()).isEqualTo(4);
    assertThat(done.added().equalityDeleteRecords()).isEqualTo(1);
    assertThat(table.currentSnapshot().summary())
        .contains(
            entry("tributary.round", "1"),
            entry("tributary.layer", "2/2"),
            entry("tributary.epochs", "g1:1"));
    assertThat(ledger.read()).isEqualTo(new TableLook.Present(done, layout()));
    assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(done, layout()));
    assertThat(ledger.canBeRead(done.snapshot())).isTrue();
  }

  @Test
  void aRoundWithoutDeletesIsAPlainAppend() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());

    done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));

    Snapshot snapshot = table().currentSnapshot();
    assertThat(snapshot.operation()).isEqualTo("append");
    assertThat(snapshot.summary()).doesNotContainKey("added-equality-deletes");
  }

  @Test
  void neverMergesManifests() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    for (int i = 1; i <= 5; i++) {
      state =
          done(ledger.commit(plan(state, layer(part(G1, i, files.upsert(1, new Row(i, "v")))))));
    }

    assertThat(table().currentSnapshot().allManifests(table().io())).hasSize(10);
  }

  @Test
  void positionDeletesInsideACommittableReachOnlyItsOwnRows() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "old")))))));
    DataFile twice = files.data(1, new Row(1, "first"), new Row(1, "second"));
    Slice slice =
        files.slice(
            List.of(twice),
            List.of(files.equalityDeletes(1, 1), files.positionDeletes(1, twice, 0)));

    done(ledger.commit(plan(state, layer(part(G1, 2, slice)))));

    assertThat(files.visibleRows()).containsExactly(entry("1/1", "second"));
  }

  @Test
  void emptiesAShardBeforeItsNewCopy() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state =
        done(
            ledger.commit(
                plan(
                    state,
                    layer(
                        part(G1, 1, files.rows(1, new Row(1, "ghost"), new Row(2, "old"))),
                        part(G2, 1, files.rows(2, new Row(1, "other shard")))),
                    layer(part(G1, 1, files.upsert(1, new Row(2, "newer")))))));
    Slice copy = files.rows(1, new Row(2, "new"));
    Layer emptied = new Layer(new TreeSet<>(List.of(new ShardId(1))), List.of(part(G1, 2, copy)));

    TableState done = done(ledger.commit(plan(state, emptied)));

    assertThat(files.visibleRows())
        .containsExactly(entry("1/2", "new"), entry("2/1", "other shard"));
    assertThat(done.removed().dataRecords()).isEqualTo(3);
    assertThat(done.removed().equalityDeleteRecords()).isEqualTo(1);
    assertThat(done.added().dataRecords()).isEqualTo(1);
  }

  @Test
  void emptiesAShardBetweenLayersOfOneRoundWithTheFilesOfTheEarlierOnes() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state =
        done(
            ledger.commit(
                plan(
                    state,
                    layer(
                        part(G1, 1, files.rows(1, new Row(1, "old"), new Row(2, "old"))),
                        part(G2, 1, files.rows(2, new Row(1, "other shard")))))));
    Layer emptied = new Layer(new TreeSet<>(List.of(new ShardId(1))), List.of());

    TableState done =
        done(
            ledger.commit(
                plan(
                    state,
                    layer(part(G1, 2, files.upsert(1, new Row(2, "before"), new Row(3, "before")))),
                    emptied,
                    layer(
                        part(G1, 3, files.upsert(1, new Row(3, "behind"), new Row(4, "behind"))),
                        part(G2, 2, files.upsert(2, new Row(2, "other shard")))))));

    assertThat(files.visibleRows())
        .containsExactly(
            entry("1/3", "behind"),
            entry("1/4", "behind"),
            entry("2/1", "other shard"),
            entry("2/2", "other shard"));
    assertThat(done.removed().dataRecords()).isEqualTo(4);
    assertThat(done.removed().equalityDeleteRecords()).isEqualTo(2);
    assertThat(table().snapshots()).hasSize(4);

    // And as a round's last layer, which leaves nothing of the shard.
    done(ledger.commit(plan(done, emptied)));
    assertThat(files.visibleRows())
        .containsExactly(entry("2/1", "other shard"), entry("2/2", "other shard"));
  }

  @Test
  void anIdleRoundMovesTheStateWithoutASnapshot() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    TableState first =
        done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));

    TableState idle = done(ledger.commit(plan(first)));

    assertThat(idle.round()).isEqualTo(new RoundNumber(2));
    assertThat(idle.dataRound()).isFalse();
    assertThat(idle.snapshot()).isEqualTo(first.snapshot());
    assertThat(idle.added()).isEqualTo(FileCounts.NONE);
    assertThat(table().snapshots()).hasSize(1);
  }

  @Test
  void aDeposedOwnerCanNeitherCommitNorClaim() {
    TableState mine = claimed();
    TableFiles files = new TableFiles(table());
    TableState theirs = claim(otherLedger(), mine, 2);
    RoundPlan dataRound = plan(mine, layer(part(G1, 1, files.rows(1, new Row(1, "lost")))));

    assertThat(ledger.commit(dataRound)).isEqualTo(new SwapOutcome.Conflict(theirs));
    assertThat(ledger.commit(plan(mine))).isEqualTo(new SwapOutcome.Conflict(theirs));
    assertThat(
            ledger.claim(mine, mine.claimed(mine.term(), owner(), new PlanId(UUID.randomUUID()))))
        .isEqualTo(new SwapOutcome.Conflict(theirs));
    assertThat(files.visibleRows()).isEmpty();
  }

  @Test
  void withoutTheFenceADeposedOwnerWouldCommit() {
    TableState mine = claimed();
    TableFiles files = new TableFiles(table());
    claim(otherLedger(), mine, 2);
    TableLedger unfenced =
        new TableLedger(
            NAME,
            network,
            false,
            readers,
            LedgerHooks.NONE,
            Protections.without(Protection.TERM_AND_OWNER));

    done(unfenced.commit(plan(mine, layer(part(G1, 1, files.rows(1, new Row(1, "wrong")))))));

    assertThat(files.visibleRows()).containsExactly(entry("1/1", "wrong"));
  }

  @Test
  void anAppliedRoundWhoseAnswerIsLostIsFoundAfterTheClaim() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    RoundPlan plan = plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))));
    network.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);

    assertThat(ledger.commit(plan)).isInstanceOf(SwapOutcome.Unknown.class);

    TableState found = present(ledger.read());
    assertThat(found.plan()).isEqualTo(plan.next().plan());
    TableState settled = claim(ledger, found, 1);
    assertThat(settled.round()).isEqualTo(new RoundNumber(1));
    done(ledger.commit(plan(settled, layer(part(G1, 2, files.upsert(1, new Row(1, "b")))))));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "b"));
  }

  @Test
  void aLostRequestIsKnownToBeLostAfterTheClaim() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    Slice rows = files.rows(1, new Row(1, "a"));
    network.next(UnreliableCatalog.Fault.REQUEST_LOST);

    assertThat(ledger.commit(plan(state, layer(part(G1, 1, rows)))))
        .isInstanceOf(SwapOutcome.Unknown.class);

    TableState settled = claim(ledger, present(ledger.read()), 1);
    assertThat(settled.round()).isEqualTo(new RoundNumber(0));
    done(ledger.commit(plan(settled, layer(part(G1, 1, rows)))));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"));
  }

  @Test
  void aDelayedRequestIsRefusedOnceTheClaimIsDone() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    network.next(UnreliableCatalog.Fault.REQUEST_DELAYED);
    assertThat(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "late")))))))
        .isInstanceOf(SwapOutcome.Unknown.class);

    claim(ledger, present(ledger.read()), 1);

    assertThat(network.deliver()).isZero();
    assertThat(files.visibleRows()).isEmpty();
  }

  @Test
  void aDelayedRequestThatIsAppliedBeforeTheClaimMakesTheClaimConflict() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    RoundPlan plan = plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "late")))));
    network.next(UnreliableCatalog.Fault.REQUEST_DELAYED);
    assertThat(ledger.commit(plan)).isInstanceOf(SwapOutcome.Unknown.class);
    TableState seen = present(ledger.read());
    assertThat(network.deliver()).isEqualTo(1);

    SwapOutcome claim =
        ledger.claim(seen, seen.claimed(seen.term(), owner(), new PlanId(UUID.randomUUID())));

    assertThat(claim)
        .isInstanceOfSatisfying(
            SwapOutcome.Conflict.class,
            conflict -> assertThat(conflict.found().plan()).isEqualTo(plan.next().plan()));
    TableState settled = claim(ledger, present(ledger.read()), 1);
    assertThat(settled.round()).isEqualTo(new RoundNumber(1));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "late"));
  }

  @Test
  void aClaimWhoseAnswerIsLostIsJudgedByTheTable() {
    TableState state = create();
    ledger.read();
    TableState wanted = state.claimed(new Term(1), owner(), new PlanId(UUID.randomUUID()));
    network.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);

    assertThat(ledger.claim(state, wanted)).isInstanceOf(SwapOutcome.Unknown.class);

    assertThat(present(ledger.read())).isEqualTo(wanted);
    assertThat(ledger.claim(state, wanted)).isEqualTo(new SwapOutcome.Done(wanted));
  }

  @Test
  void theManifestsOfALostAnswerSurviveForeignCommitsThatRotateTheMetadataLog() {
    TableState state = claimed();
    table().updateProperties().set("write.metadata.previous-versions-max", "1").commit();
    TableFiles files = new TableFiles(table());
    network.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);
    assertThat(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))))
        .isInstanceOf(SwapOutcome.Unknown.class);
    for (int i = 0; i < 4; i++) {
      table().updateProperties().set("foreign", "commit-" + i).commit();
    }

    TableState settled = claim(ledger, present(ledger.read()), 1);

    assertThat(settled.round()).isEqualTo(new RoundNumber(1));
    done(ledger.commit(plan(settled, layer(part(G1, 2, files.rows(1, new Row(2, "b")))))));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"), entry("1/2", "b"));
  }

  @Test
  void aRequestThatComesAfterATakeoverAndTwelveForeignCommitsChangesNothing() {
    TableState state = claimed();
    table().updateProperties().set("write.metadata.previous-versions-max", "10").commit();
    TableFiles files = new TableFiles(table());
    Slice rows = files.rows(1, new Row(1, "a"));
    network.next(UnreliableCatalog.Fault.REQUEST_DELAYED);
    assertThat(ledger.commit(plan(state, layer(part(G1, 1, rows)))))
        .isInstanceOf(SwapOutcome.Unknown.class);

    TableLedger successor = otherLedger();
    TableState theirs = claim(successor, state, 2);
    theirs = done(successor.commit(plan(theirs, layer(part(G1, 1, rows)))));
    for (int i = 0; i < 12; i++) {
      table().updateProperties().set("foreign", "commit-" + i).commit();
    }

    assertThat(network.deliver()).isZero();
    assertThat(present(otherLedger().read())).isEqualTo(theirs);
    assertThat(theirs.round()).isEqualTo(new RoundNumber(1));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"));
    assertEveryManifestExists();
  }

  @Test
  void e5_afterCompactionExpiryAndCleanupTheCommittedEpochIsKnownAndAnOlderOneDoesNotFit() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    DataFile first = files.data(1, new Row(1, "a"));
    state =
        done(
            ledger.commit(plan(state, layer(part(G1, 1, files.slice(List.of(first), List.of()))))));
    TableState before = state;
    state = done(ledger.commit(plan(state, layer(part(G1, 2, files.rows(1, new Row(2, "b")))))));
    table().newRewrite().deleteFile(first).addFile(files.data(1, new Row(1, "a"))).commit();
    table()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1)
        .retainLast(1)
        .commit();

    assertThat(present(otherLedger().read())).isEqualTo(state);
    assertThat(ledger.commit(plan(before))).isEqualTo(new SwapOutcome.Conflict(state));
    done(ledger.commit(plan(state, layer(part(G1, 3, files.upsert(1, new Row(1, "c")))))));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "c"), entry("1/2", "b"));
    assertEveryManifestExists();
  }

  @Test
  void f7_aTableOfSixHundredColumnsAndManyShardsKeepsItsWholeState() throws Exception {
    TableState state = claimed();
    addColumns("a_column_with_a_name_of_more_than_forty_characters_", 600);
    TableState large = withShards(state, 300);
    RoundPlan plan = plan(state);
    state = done(ledger.commit(new RoundPlan(state, plan.layers(), afterRound(large, plan))));
    assertThat(present(otherLedger().read())).isEqualTo(state);

    addColumns("one_more_column_with_a_name_of_more_than_forty_characters_", 50);
    state = done(ledger.commit(new RoundPlan(state, List.of(), afterRound(state, plan(state)))));

    assertThat(present(otherLedger().read())).isEqualTo(state);
    assertThat(state.shards()).hasSize(300);
    assertThat(table().schema().columns()).hasSize(653);
    assertCatalogHolds(table().properties());
  }

  /**
   * What the catalog itself keeps of a table's properties is as it was written, if it keeps any.
   */
  void assertCatalogHolds(Map<String, String> properties) throws Exception {}

  private void addColumns(String prefix, int count) {
    var update = table().updateSchema();
    for (int i = 0; i < count; i++) {
      update.addColumn(prefix + i, Types.StringType.get());
    }
    update.commit();
  }

  private static TableState afterRound(TableState with, RoundPlan plan) {
    TableState next = plan.next();
    return new TableState(
        next.tableUuid(),
        next.round(),
        next.term(),
        next.owner(),
        next.plan(),
        next.registryVersion(),
        next.controlOffset(),
        next.validThrough(),
        next.snapshot(),
        next.dataRound(),
        next.added(),
        next.removed(),
        next.committedAt(),
        with.groups(),
        with.shards(),
        with.sources());
  }

  private void assertEveryManifestExists() {
    Table table = table();
    for (org.apache.iceberg.Snapshot snapshot : table.snapshots()) {
      assertThat(snapshot.allManifests(table.io()))
          .allMatch(manifest -> table.io().newInputFile(manifest.path()).exists());
    }
  }

  @Test
  void foreignCommitsInBetweenAreBuiltUpon() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    table().newAppend().appendFile(files.data(9, new Row(5, "foreign"))).commit();
    table().updateProperties().set("foreign", "property").commit();

    TableState done =
        done(ledger.commit(plan(state, layer(part(G1, 2, files.upsert(1, new Row(1, "b")))))));

    assertThat(files.visibleRows()).containsExactly(entry("1/1", "b"), entry("9/5", "foreign"));
    assertThat(table().properties()).containsEntry("foreign", "property");
    assertThat(done.round()).isEqualTo(new RoundNumber(2));
  }

  @Test
  void aCommitBetweenCheckAndSwapIsAConflictAndLeavesNothingBehind() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    RoundPlan plan = plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))));
    TableLedger interrupted =
        new TableLedger(
            NAME,
            network,
            false,
            readers,
            new LedgerHooks() {
              @Override
              public void baseChecked(org.apache.iceberg.TableMetadata base) {
                table().updateProperties().set("foreign", "just now").commit();
              }
            },
            Protections.all());

    assertThat(interrupted.commit(plan)).isEqualTo(new SwapOutcome.Conflict(state));

    done(ledger.commit(plan));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"));
  }

  @Test
  void noticesARollback() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    long first = table().currentSnapshot().snapshotId();
    state = done(ledger.commit(plan(state, layer(part(G1, 2, files.rows(1, new Row(2, "b")))))));
    table().manageSnapshots().rollbackTo(first).commit();

    assertHalted(ledger.commit(plan(state)), "rolled the table back");
    table().newAppend().appendFile(files.data(9, new Row(5, "foreign"))).commit();
    assertHalted(ledger.commit(plan(state)), "rolled the table back");
    assertThat(otherLedger().read()).isInstanceOf(TableLook.Unusable.class);
  }

  @Test
  void acceptsARollbackWithForeignRowsInOneSwapThatFencesWhoeverWasBefore() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    long first = table().currentSnapshot().snapshotId();
    TableState idle = done(ledger.commit(plan(state)));
    TableState last =
        done(ledger.commit(plan(idle, layer(part(G1, 2, files.rows(1, new Row(2, "b")))))));
    table().manageSnapshots().rollbackTo(first).commit();
    table().newAppend().appendFile(files.data(2, new Row(5, "foreign"))).commit();
    long head = table().currentSnapshot().snapshotId();

    TableExaminer.Examined examined = examiner(catalogOnly()).examine().orElseThrow();
    TableFindings found = findings(examined, last);

    assertThat(found.problem().orElseThrow().kind()).isEqualTo(LedgerProblem.Kind.ROLLED_BACK);
    assertThat(found.fitting()).contains(idle);
    assertThat(found.foreign())
        .containsExactly(
            new TableFindings.ForeignSnapshot(
                head, "append", 1, Optional.of(new TreeSet<>(List.of(new ShardId(2))))));
    TableState decided = decided(found);
    assertThat(examiner(catalogOnly()).write(examined, decided))
        .isEqualTo(new SwapOutcome.Done(decided));
    assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(decided, layout()));
    assertThat(table().refs().get("tributary").snapshotId()).isEqualTo(head);
    assertThat(decided.round()).isEqualTo(last.round().next());
    assertThat(decided.shard(new ShardId(2)).orElseThrow().started()).isTrue();
    assertThat(ledger.commit(plan(last))).isEqualTo(new SwapOutcome.Conflict(decided));
    assertThat(findings(examiner(catalogOnly()).examine().orElseThrow(), decided).problem())
        .isEmpty();
    claim(otherLedger(), decided, decided.term().value() + 1);
  }

  @Test
  void acceptsATableWhoseTagIsGoneAndOneWhoseStateIsAnotherTables() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    table().manageSnapshots().removeTag("tributary").commit();

    TableExaminer.Examined untagged = examiner(catalogOnly()).examine().orElseThrow();
    assertThat(findings(untagged, state).problem().orElseThrow().kind())
        .isEqualTo(LedgerProblem.Kind.TAG);
    assertThat(findings(untagged, state).fitting()).contains(state);
    TableState decided = decided(findings(untagged, state));
    done(examiner(catalogOnly()).write(untagged, decided));
    assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(decided, layout()));

    catalog.dropTable(TableIdentifier.parse(ID), false);
    create();
    var update = table().updateProperties();
    io.tributary.protocol.TableStateCodec.encode(decided).forEach(update::set);
    update.commit();
    TableExaminer.Examined recreated = examiner(catalogOnly()).examine().orElseThrow();
    TableFindings found = findings(recreated, decided);
    assertThat(found.problem().orElseThrow().kind()).isEqualTo(LedgerProblem.Kind.OTHER_UUID);
    TableState again = decided(found);
    done(examiner(catalogOnly()).write(recreated, again));
    assertThat(again.tableUuid().toString()).isEqualTo(table().uuid().toString());
    assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(again, layout()));
  }

  @Test
  void findsNoStateForRowsThatNoRoundEndedWith() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    table().newAppend().appendFile(files.data(1, new Row(9, "foreign"))).commit();
    long foreign = table().currentSnapshot().snapshotId();
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    table().manageSnapshots().rollbackTo(foreign).commit();

    TableFindings found = findings(examiner(catalogOnly()).examine().orElseThrow(), state);

    assertThat(found.fitting()).isEmpty();
    assertThat(found.foreign()).extracting(TableFindings.ForeignSnapshot::id).contains(foreign);
    assertThat(decided(found).shards().values())
        .hasSize(2)
        .allMatch(shard -> shard.started() && shard.watermark().isEmpty());
  }

  @Test
  void aDecisionAboutATableThatSomebodyChangesMeanwhileChangesNothing() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    table().manageSnapshots().removeTag("tributary").commit();
    TableExaminer.Examined examined = examiner(catalogOnly()).examine().orElseThrow();
    table().updateProperties().set("somebody", "else").commit();

    assertThat(examiner(catalogOnly()).write(examined, decided(findings(examined, state))))
        .isEqualTo(new SwapOutcome.Conflict(state));
    assertThat(otherLedger().read()).isInstanceOf(TableLook.Unusable.class);
  }

  @Test
  void aDecisionWhoseAnswerIsLostIsFoundInTheTable() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    table().manageSnapshots().removeTag("tributary").commit();
    UnreliableCatalog wire = new UnreliableCatalog(catalogOnly());
    TableExaminer.Examined examined = examiner(wire).examine().orElseThrow();
    TableState decided = decided(findings(examined, state));

    wire.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);
    assertThat(examiner(wire).write(examined, decided)).isEqualTo(new SwapOutcome.Done(decided));
    assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(decided, layout()));
  }

  @Test
  void adoptsATableThatFitsAndNamesWhatDoesNot() {
    create();
    Table table = table();
    var update = table.updateProperties();
    table.properties().keySet().stream()
        .filter(key -> key.startsWith("tributary.state."))
        .forEach(update::remove);
    update.commit();
    table().newAppend().appendFile(new TableFiles(table()).data(1, new Row(9, "kept"))).commit();
    TableExaminer examiner = examiner(catalogOnly());
    TableExaminer.Examined examined = examiner.examine().orElseThrow();

    assertThat(examiner.differences(examined, List.of(proposal()))).isEmpty();
    TableFindings found =
        examined.findings(NAME, Optional.empty(), TableFindings.ControlRecords.of(0, 1, Map.of()));
    StateAcceptance adoption = StateAcceptance.adopting(found, members());
    TableState adopted = adoption.accept(fresh(adoption));
    done(examiner.write(examined, adopted));
    assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(adopted, layout()));
    assertThat(adopted.shards()).hasSize(2);

    table().updateSchema().addColumn("price", Types.LongType.get()).commit();
    table().updateProperties().set("engine.hive.lock-enabled", "true").commit();
    assertThat(examiner.differences(examiner.examine().orElseThrow(), List.of(proposal())))
        .hasSize(2)
        .anySatisfy(text -> assertThat(text).contains("engine.hive.lock-enabled=false"))
        .anySatisfy(text -> assertThat(text).contains("expected no column price"));
  }

  private java.util.function.Supplier<org.apache.iceberg.TableOperations> catalogOnly() {
    return TableLedger.in(catalog, NAME);
  }

  private static TableExaminer examiner(
      java.util.function.Supplier<org.apache.iceberg.TableOperations> over) {
    return new TableExaminer(NAME, over, false);
  }

  private static TableFindings findings(TableExaminer.Examined examined, TableState announced) {
    return examined.findings(
        NAME,
        Optional.of(io.tributary.protocol.CommitStatus.of(NAME, announced)),
        TableFindings.ControlRecords.of(0, 10, Map.of()));
  }

  private static TableState decided(TableFindings found) {
    StateAcceptance acceptance = StateAcceptance.of(found, members(), false);
    assertThat(acceptance.judge()).isInstanceOf(StateAcceptance.Verdict.Acceptable.class);
    return acceptance.accept(fresh(acceptance));
  }

  private static Members members() {
    return Members.of(
        1,
        Map.of(
            new ShardId(1), Members.Member.active(G1, SERVER),
            new ShardId(2), Members.Member.active(G2, SERVER)));
  }

  private static StateAcceptance.Fresh fresh(StateAcceptance acceptance) {
    Map<GroupName, Incarnation> incarnations = new TreeMap<>();
    acceptance
        .incarnations()
        .forEach((group, known) -> incarnations.put(group, new Incarnation(known + 1)));
    return new StateAcceptance.Fresh(
        acceptance.highestTerm().next(),
        owner(),
        new PlanId(UUID.randomUUID()),
        incarnations,
        new SubmissionId(UUID.randomUUID()),
        Instant.parse("2026-06-01T00:00:00Z"),
        "anna");
  }

  @Test
  void noticesATagThatWasMovedOrRemoved() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, files.rows(1, new Row(1, "a")))))));
    long first = table().currentSnapshot().snapshotId();
    state = done(ledger.commit(plan(state, layer(part(G1, 2, files.rows(1, new Row(2, "b")))))));
    table().manageSnapshots().replaceTag("tributary", first).commit();

    assertHalted(ledger.commit(plan(state)), "expected tag 'tributary' at snapshot");
    table().manageSnapshots().removeTag("tributary").commit();
    assertHalted(ledger.commit(plan(state)), "found none");
  }

  @Test
  void noticesATableThatWasDroppedAndCreatedAgain() {
    TableState state = claimed();
    catalog.dropTable(TableIdentifier.parse(ID), false);
    assertHalted(ledger.commit(plan(state)), "dropped");
    TableState second = create();

    assertHalted(ledger.commit(plan(state)), second.tableUuid().toString());
    assertThat(present(otherLedger().read())).isEqualTo(second);
  }

  @Test
  void noticesOlderMetadata() {
    TableState state = claimed();
    TableState older = state;
    for (int i = 0; i < 3; i++) {
      state = done(ledger.commit(plan(state)));
    }
    var update = table().updateProperties();
    io.tributary.protocol.TableStateCodec.encode(older).forEach(update::set);
    update.commit();

    assertHalted(ledger.commit(plan(state)), "restored older metadata");
  }

  @Test
  void refusesHiveLocksAndOtherLayouts() {
    TableState state = claimed();
    table().updateProperties().set("engine.hive.lock-enabled", "true").commit();
    assertHalted(ledger.commit(plan(state)), "engine.hive.lock-enabled=false, found true");
    table().updateProperties().set("engine.hive.lock-enabled", "false").commit();
    table().updateSpec().addField("name").commit();
    assertHalted(ledger.commit(plan(state)), "default partition spec");
  }

  @Test
  void stateAndTagSurviveExpiryAndCompactionByOthers() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    DataFile compacted = files.data(1, new Row(1, "a"));
    Slice rows = files.slice(List.of(compacted), List.of());
    state = done(ledger.commit(plan(state, layer(part(G1, 1, rows)))));
    for (int i = 2; i <= 4; i++) {
      state = done(ledger.commit(plan(state, layer(part(G1, i, files.rows(1, new Row(i, "v")))))));
    }
    // Two foreign snapshots on top, of which the first expires: the parents' chain is broken.
    table().newRewrite().deleteFile(compacted).addFile(files.data(1, new Row(1, "a"))).commit();
    table().newAppend().appendFile(files.data(9, new Row(5, "foreign"))).commit();
    table()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1)
        .retainLast(1)
        .commit();
    assertThat(table().snapshots()).hasSize(2);

    TableState after =
        done(ledger.commit(plan(state, layer(part(G1, 5, files.upsert(1, new Row(1, "b")))))));

    assertThat(after.round()).isEqualTo(new RoundNumber(5));
    assertThat(files.visibleRows())
        .containsExactly(
            entry("1/1", "b"),
            entry("1/2", "v"),
            entry("1/3", "v"),
            entry("1/4", "v"),
            entry("9/5", "foreign"));
  }

  @Test
  void namesTheCommittableWhoseFilesAreGoneAndCommitsNothing() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    DataFile gone = files.data(1, new Row(1, "a"));
    Slice slice = files.slice(List.of(gone, files.data(1, new Row(2, "b"))), List.of());
    table().io().deleteFile(gone.location());

    SwapOutcome outcome =
        ledger.commit(
            plan(state, layer(part(G1, 3, slice), part(G2, 1, files.rows(2, new Row(1, "fine"))))));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            SwapOutcome.Faulty.class,
            faulty ->
                assertThat(faulty.faults())
                    .singleElement()
                    .satisfies(
                        fault -> {
                          assertThat(fault.group()).isEqualTo(G1);
                          assertThat(fault.epoch()).isEqualTo(new Epoch(3));
                          assertThat(fault.code()).isEqualTo(HaltCode.MISSING_FILES);
                          assertThat(fault.found())
                              .startsWith("expected 2 files, found 1;")
                              .contains(gone.location());
                        }));
    assertThat(files.visibleRows()).isEmpty();
    assertThat(ledger.existenceRequests()).isEqualTo(3);
  }

  @Test
  void refusesFilesOfForeignShardsAndDeletesOfForeignFiles() {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    DataFile others = files.data(1, new Row(1, "others"));
    Slice reaching =
        files.slice(
            List.of(files.data(1, new Row(2, "x"))), List.of(files.positionDeletes(1, others, 0)));

    assertFault(
        ledger.commit(plan(state, layer(part(G1, 1, files.rows(2, new Row(1, "not mine")))))),
        HaltCode.NOT_OWNED,
        "of shard 2, which belongs to group g2");
    assertFault(
        ledger.commit(plan(state, layer(part(G1, 1, files.rows(77, new Row(1, "nobody's")))))),
        HaltCode.NOT_OWNED,
        "of shard 77, which belongs to no group");
    assertFault(
        ledger.commit(plan(state, layer(part(G1, 1, reaching)))),
        HaltCode.FOREIGN_DELETES,
        others.location());
  }

  /**
   * A slice of a job that saw the table with other columns under the same ids, as when somebody
   * puts older metadata back, adds a column, and puts the newest back.
   */
  Slice writtenForOtherColumns(Function<TableFiles, Slice> changed) {
    Table table = table();
    TableIdentifier other = TableIdentifier.parse(ID + "_put_back");
    Table theirs = catalog.createTable(other, table.schema(), table.spec());
    theirs.updateSchema().addColumn("weight", Types.LongType.get()).commit();
    Slice slice = changed.apply(new TableFiles(theirs));
    catalog.dropTable(other, false);
    return slice;
  }

  @Test
  void refusesFilesWhoseFieldsMeanOtherColumnsInTheTable() {
    TableState state = claimed();
    Slice before = new TableFiles(table()).rows(1, new Row(1, "before"));
    Slice older = new TableFiles(table()).rows(1, new Row(2, "older"));
    Slice theirs = writtenForOtherColumns(files -> files.rows(1, new Row(1, "a")));
    Slice deletes =
        writtenForOtherColumns(
            files -> files.slice(List.of(), List.of(files.equalityDeletes(1, 1))));
    state =
        done(
            ledger.commit(
                with(
                    List.of(new RequestedColumn("price", "long")),
                    plan(state, layer(part(G1, 1, before))))));

    assertFault(
        ledger.commit(plan(state, layer(part(G1, 2, theirs)))),
        HaltCode.WRONG_LAYOUT,
        "found field 4 'weight' long in theirs and 'price' long in the table's");

    assertFault(
        ledger.commit(plan(state, layer(part(G1, 2, deletes)))),
        HaltCode.WRONG_LAYOUT,
        "found field 4 'weight' long in theirs");
    done(ledger.commit(plan(state, layer(part(G1, 2, older)))));
  }

  @Test
  void readsManifestsBesideTheTableAndChecksThem() throws Exception {
    TableState state = claimed();
    TableFiles files = new TableFiles(table());
    DataFile file = files.data(1, new Row(1, "a"));
    byte[] manifest = files.dataManifest(List.of(file));
    String path = table().location() + "/tributary/manifest.avro";
    try (var out = table().io().newOutputFile(path).create()) {
      out.write(manifest);
    }
    FileCounts counts = new SliceFiles(List.of(file), List.of(), List.of()).counts();
    String hash = CommittableManifest.hash(manifest);
    Slice wrong = stored(path, manifest.length, "0".repeat(64), counts);
    Slice shorter = stored(path, manifest.length - 1, hash, counts);
    Slice missing = stored(path + ".gone", manifest.length, hash, counts);
    Slice miscounted = stored(path, manifest.length, hash, counts.plus(counts));
    Slice garbage =
        Slice.of(
            List.of(CommittableManifest.Inline.of(ManifestContent.DATA, new byte[] {1, 2, 3})),
            counts);

    assertFault(one(state, wrong), HaltCode.UNREADABLE, "with SHA-256 000");
    assertFault(one(state, shorter), HaltCode.UNREADABLE, "found more bytes");
    assertFault(one(state, missing), HaltCode.MISSING_FILES, "found no file");
    assertFault(one(state, miscounted), HaltCode.UNREADABLE, "in its manifests, found");
    assertFault(one(state, garbage), HaltCode.UNREADABLE, "expected an Iceberg manifest of data");
    done(one(state, stored(path, manifest.length, hash, counts)));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"));
  }

  @Test
  void aCatalogThatDoesNotAnswerIsUnreachableAndNothingMore() {
    TableState state = claimed();
    network.down(true);

    assertThat(ledger.read()).isInstanceOf(TableLook.Unreachable.class);
    assertThat(ledger.commit(plan(state))).isInstanceOf(SwapOutcome.Unreachable.class);
    assertThat(ledger.claim(state, state)).isInstanceOf(SwapOutcome.Unreachable.class);

    network.down(false);
    done(ledger.commit(plan(state)));
  }

  @Test
  void aStateOfManyShardsFitsAndShrinksAgain() {
    TableState state = claimed();
    TableState large = withShards(plan(state).next(), 1_024);
    TableState done = done(ledger.commit(new RoundPlan(state, List.of(), large)));

    assertThat(present(otherLedger().read())).isEqualTo(done);
    assertThat(table().properties().values())
        .allSatisfy(value -> assertThat(value.length()).isLessThan(4_000));
    long before = stateProperties();

    TableState small = done(ledger.commit(new RoundPlan(done, List.of(), plan(done).next())));

    assertThat(stateProperties()).isLessThan(before);
    assertThat(present(otherLedger().read())).isEqualTo(small);
  }

  @Test
  void oldSnapshotsExpireAndFilesThatOnlyTheyNeedGo() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "2"));
    try (TableMaintenance maintenance = maintenance(in(catalog))) {
      assertThat(maintenance.step(state)).isEmpty();
      TableFiles files = new TableFiles(table());
      DataFile emptied = files.data(2, new Row(7, "gone"));
      Slice slice = files.slice(List.of(emptied), List.of());
      state = done(ledger.commit(plan(state, layer(part(G2, 1, slice)))));
      state =
          done(
              ledger.commit(
                  plan(
                      state,
                      new Layer(
                          new TreeSet<>(List.of(new ShardId(2))),
                          List.of(part(G2, 2, files.rows(2, new Row(8, "new"))))))));
      List<Snapshot> old = new ArrayList<>();
      table().snapshots().forEach(old::add);
      state = rounds(state, files, 3, 5);
      Slice pending = files.upsert(1, new Row(1, "later"));

      TableMaintenance.Report report = maintained(maintenance, state);

      assertThat(report.alarm()).isEmpty();
      assertThat(report.expired()).isGreaterThanOrEqualTo(old.size());
      assertThat(report.snapshots()).isEqualTo(2);
      assertThat(table().snapshots()).hasSize(2);
      assertThat(table().refs().get("tributary").snapshotId())
          .isEqualTo(state.snapshot().orElseThrow().id());
      assertThat(ledger.read()).isEqualTo(new TableLook.Present(state, layout()));
      awaitGone(emptied.location());
      for (Snapshot snapshot : old) {
        awaitGone(snapshot.manifestListLocation());
      }
      assertNothingDangles();
      state = done(ledger.commit(plan(state, layer(part(G1, 9, pending)))));
      assertThat(files.visibleRows()).containsEntry("1/1", "later").containsEntry("2/8", "new");
      assertThat(files.visibleRows()).doesNotContainKey("2/7");
    }
  }

  @Test
  void manyManifestsBecomeFewAndDeletesReachWhatTheyReached() throws Exception {
    TableState state = claimedWith(Map.of(MERGED, "4"));
    try (TableMaintenance maintenance = maintenance(in(catalog))) {
      maintenance.step(state);
      TableFiles files = new TableFiles(table());
      for (int round = 1; round <= 4; round++) {
        Slice two = files.upsert(2, new Row(1, "two" + round));
        Slice one = files.upsert(1, new Row(1, "one" + round), new Row(round + 10, "kept"));
        state = done(ledger.commit(plan(state, layer(part(G2, round, two), part(G1, round, one)))));
      }
      Map<String, String> rows = files.visibleRows();
      assertThat(table().currentSnapshot().allManifests(table().io())).hasSize(8);
      Map<String, List<Long>> before = entries();

      TableMaintenance.Report report = maintained(maintenance, state);

      assertThat(report.merged()).isEqualTo(8);
      assertThat(report.manifests()).isEqualTo(2);
      assertThat(table().currentSnapshot().allManifests(table().io())).hasSize(2);
      assertThat(entries()).isEqualTo(before);
      assertThat(shardsInOrder()).isSorted();
      assertThat(files.visibleRows()).isEqualTo(rows).containsEntry("1/1", "one4");
      assertThat(ledger.read()).isEqualTo(new TableLook.Present(state, layout()));
      Slice next = files.upsert(1, new Row(1, "one5"));
      state = done(ledger.commit(plan(state, layer(part(G1, 5, next)))));
      assertThat(files.visibleRows())
          .hasSameSizeAs(rows)
          .containsEntry("1/1", "one5")
          .containsEntry("2/1", "two4");
    }
  }

  @Test
  void manifestsThatChangedWhileTheyWereMergedAreLeftAlone() throws Exception {
    TableState state = claimedWith(Map.of(MERGED, "2"));
    CountDownLatch looked = new CountDownLatch(1);
    Supplier<TableOperations> noticed =
        () -> {
          TableOperations table = in(catalog).get();
          looked.countDown();
          return table;
        };
    try (TableMaintenance maintenance = maintenance(noticed)) {
      maintenance.step(state);
      TableFiles files = new TableFiles(table());
      state = rounds(state, files, 1, 3);
      assertThat(maintenance.step(state)).isEmpty();
      looked.await();
      state =
          done(
              ledger.commit(
                  plan(
                      state,
                      new Layer(
                          new TreeSet<>(List.of(new ShardId(1))),
                          List.of(part(G1, 9, files.rows(1, new Row(5, "new"))))))));

      TableMaintenance.Report report = maintained(maintenance, state);

      assertThat(report.alarm()).isEmpty();
      assertThat(report.merged()).isZero();
      assertThat(files.visibleRows()).containsExactly(entry("1/5", "new"));
      assertNothingDangles();
    }
  }

  @Test
  void filesAreRemovedOnlyOnceALostAnswerIsKnown() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "1"));
    try (TableMaintenance maintenance = maintenance(in(catalog))) {
      maintenance.step(state);
      TableFiles files = new TableFiles(table());
      state = rounds(state, files, 1, 4);
      String first = table().snapshots().iterator().next().manifestListLocation();
      network.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);

      TableMaintenance.Report report = maintained(maintenance, state);

      assertThat(report.alarm())
          .hasValueSatisfying(
              text ->
                  assertThat(text)
                      .startsWith("Cannot maintain table shop.orders: expected")
                      .contains("no answer to the swap"));
      assertThat(exists(first)).isTrue();
      assertThat(table().snapshots()).hasSize(1);
      state = rounds(state, files, 5, 1);
      assertThat(maintained(maintenance, state).alarm()).isEmpty();
      awaitGone(first);
      assertNothingDangles();
      assertThat(ledger.read()).isEqualTo(new TableLook.Present(state, layout()));
    }
  }

  @Test
  void aRequestThatComesLateNeitherHarmsARoundNorIsTakenForDone() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "1", MERGED, "2"));
    try (TableMaintenance maintenance = maintenance(in(catalog))) {
      maintenance.step(state);
      TableFiles files = new TableFiles(table());
      state = rounds(state, files, 1, 4);
      network.next(UnreliableCatalog.Fault.REQUEST_DELAYED);
      assertThat(maintained(maintenance, state).alarm()).isPresent();
      state = rounds(state, files, 5, 1);

      assertThat(network.deliver()).isZero();

      assertThat(table().snapshots()).hasSize(5);
      network.next(UnreliableCatalog.Fault.REQUEST_DELAYED);
      assertThat(maintained(maintenance, state).alarm()).isPresent();
      assertNothingDangles();
      assertThat(network.deliver()).isOne();
      assertNothingDangles();
      state = rounds(state, files, 6, 1);
      assertThat(maintained(maintenance, state).alarm()).isEmpty();
      assertNothingDangles();
      assertThat(ledger.read()).isEqualTo(new TableLook.Present(state, layout()));
      assertThat(files.visibleRows()).containsExactly(entry("1/1", "round6"));
    }
  }

  @Test
  void whoDiesAroundTheSwapLeavesNothingDangling() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "1", MERGED, "2"));
    TableFiles files = new TableFiles(table());
    for (boolean before : List.of(true, false)) {
      TableLedger dying =
          new TableLedger(
              NAME,
              TableLedger.in(catalog, NAME),
              false,
              readers,
              new LedgerHooks() {
                @Override
                public void beforeSwap(TableMetadata base, TableMetadata next) {
                  if (before) {
                    throw new StackOverflowError("killed before the swap");
                  }
                }

                @Override
                public void afterSwap(TableMetadata next) {
                  throw new StackOverflowError("killed behind the swap");
                }
              },
              Protections.all());
      try (TableMaintenance maintenance = maintenance(in(catalog), dying)) {
        maintenance.step(state);
        state = rounds(state, files, state.round().value(), 4);
        TableState held = state;
        assertThatThrownBy(() -> maintained(maintenance, held)).hasMessageContaining("killed");
      }
      assertNothingDangles();
      assertThat(ledger.read()).isEqualTo(new TableLook.Present(state, layout()));
    }
    try (TableMaintenance maintenance = maintenance(in(catalog))) {
      maintenance.step(state);
      state = rounds(state, files, state.round().value(), 2);
      assertThat(maintained(maintenance, state).alarm()).isEmpty();
      // Main's end, which merged manifests, and the tagged one.
      assertThat(table().snapshots()).hasSize(2);
      assertNothingDangles();
    }
  }

  @Test
  void aTableOfAnotherCoordinatorIsNotMaintained() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "1", MERGED, "2"));
    try (TableMaintenance maintenance = maintenance(in(catalog))) {
      maintenance.step(state);
      state = rounds(state, new TableFiles(table()), 1, 3);
      TableState others = claim(otherLedger(), state, 2);

      TableMaintenance.Report report = maintained(maintenance, state);

      assertThat(report.alarm())
          .hasValueSatisfying(text -> assertThat(text).contains("another round, term or owner"));
      assertThat(table().snapshots()).hasSize(3);
      assertThat(otherLedger().read()).isEqualTo(new TableLook.Present(others, layout()));
      assertNothingDangles();
    }
  }

  @Test
  void anotherEngineThatIsFirstIsNoAlarm() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "1"));
    TableLedger late =
        new TableLedger(
            NAME,
            in(catalog),
            false,
            readers,
            new LedgerHooks() {
              @Override
              public void beforeSwap(TableMetadata base, TableMetadata next) {
                table().updateProperties().set("comment", "changed " + next.uuid()).commit();
              }
            },
            Protections.all());
    try (TableMaintenance maintenance = maintenance(in(catalog), late)) {
      maintenance.step(state);
      state = rounds(state, new TableFiles(table()), 1, 3);

      TableMaintenance.Report report = maintained(maintenance, state);

      assertThat(report.alarm()).isEmpty();
      assertThat(report.expired()).isZero();
      assertThat(table().snapshots()).hasSize(3);
      assertThat(table().properties().get("comment")).startsWith("changed ");
      assertNothingDangles();
    }
  }

  @Test
  void growthThatNothingHoldsBackIsAnAlarm() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "1", KEPT, "1", "gc.enabled", "false"));
    TableMaintenance.Limits limits = new TableMaintenance.Limits(1, 2, 1_000);
    try (TableMaintenance maintenance =
        new TableMaintenance(NAME, ledger, in(catalog), Clock.systemUTC(), limits)) {
      maintenance.step(state);
      TableFiles files = new TableFiles(table());
      state = rounds(state, files, 1, 3);

      assertThat(maintained(maintenance, state).alarm())
          .hasValueSatisfying(
              text ->
                  assertThat(text)
                      .contains("expected at most 2 snapshots, found 3")
                      .endsWith("cure: set gc.enabled=true"));

      table().updateProperties().remove("gc.enabled").set(KEPT, "many").commit();
      state = rounds(state, files, 4, 1);
      assertThat(maintained(maintenance, state).alarm())
          .hasValueSatisfying(
              text ->
                  assertThat(text)
                      .contains(
                          "expected property history.expire.min-snapshots-to-keep to be a whole number of 1 to 2147483647, found 'many'"));
      table().updateProperties().set(KEPT, "1").commit();
      state = rounds(state, files, 5, 1);
      assertThat(maintained(maintenance, state).alarm()).isEmpty();
    }
  }

  @Test
  void aClockThatIsAheadExpiresNothingThatIsFresh() throws Exception {
    TableState state = claimedWith(Map.of(AGE, "3600000", KEPT, "1"));
    Clock ahead = Clock.offset(Clock.systemUTC(), Duration.ofDays(30));
    try (TableMaintenance maintenance =
        new TableMaintenance(
            NAME, ledger, in(catalog), ahead, new TableMaintenance.Limits(1, 100, 100))) {
      maintenance.step(state);
      state = rounds(state, new TableFiles(table()), 1, 3);

      assertThat(maintained(maintenance, state).expired()).isZero();
      assertThat(table().snapshots()).hasSize(3);
    }
  }

  private static final String AGE = "history.expire.max-snapshot-age-ms";
  private static final String KEPT = "history.expire.min-snapshots-to-keep";
  private static final String MERGED = "commit.manifest.min-count-to-merge";

  private Supplier<TableOperations> in(Catalog where) {
    return TableLedger.in(where, NAME);
  }

  private TableMaintenance maintenance(Supplier<TableOperations> loader) {
    return maintenance(loader, ledger);
  }

  private TableMaintenance maintenance(Supplier<TableOperations> loader, TableLedger by) {
    return new TableMaintenance(
        NAME, by, loader, Clock.systemUTC(), new TableMaintenance.Limits(1, 1_000, 1_000));
  }

  private TableState claimedWith(Map<String, String> properties) {
    TableState state = claimed();
    var update = table().updateProperties();
    properties.forEach(update::set);
    update.commit();
    return state;
  }

  /** Rounds that each change row 1 of shard 1, at different times. */
  private TableState rounds(TableState state, TableFiles files, long first, int count)
      throws InterruptedException {
    TableState now = state;
    for (long round = first; round < first + count; round++) {
      Slice slice = files.upsert(1, new Row(1, "round" + round));
      now = done(ledger.commit(plan(now, layer(part(G1, round, slice)))));
      Thread.sleep(3);
    }
    return now;
  }

  /** Steps until there is something to tell. */
  private static TableMaintenance.Report maintained(TableMaintenance by, TableState held)
      throws InterruptedException {
    for (int i = 0; i < 12_000; i++) {
      Optional<TableMaintenance.Report> report = by.step(held);
      if (report.isPresent()) {
        return report.get();
      }
      Thread.sleep(5);
    }
    throw new AssertionError("nothing was maintained in a minute");
  }

  private boolean exists(String path) {
    try {
      return table().io().newInputFile(path).exists();
    } catch (NotFoundException e) {
      return false;
    }
  }

  private void awaitGone(String path) throws InterruptedException {
    for (int i = 0; exists(path); i++) {
      assertThat(i).as(path).isLessThan(6_000);
      Thread.sleep(10);
    }
  }

  /** Every file that any snapshot names is there. */
  private void assertNothingDangles() {
    Table table = table();
    for (Snapshot snapshot : table.snapshots()) {
      assertThat(exists(snapshot.manifestListLocation())).isTrue();
      assertThat(snapshot.allManifests(table.io())).allMatch(found -> exists(found.path()));
      assertThat(contents(table, snapshot)).allMatch(file -> exists(file.location()));
    }
  }

  private static List<ContentFile<?>> contents(Table table, Snapshot snapshot) {
    List<ContentFile<?>> files = new ArrayList<>();
    snapshot
        .dataManifests(table.io())
        .forEach(
            manifest ->
                ManifestFiles.read(manifest, table.io(), table.specs())
                    .forEach(file -> files.add(file.copy())));
    snapshot
        .deleteManifests(table.io())
        .forEach(
            manifest ->
                ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())
                    .forEach(file -> files.add(file.copy())));
    return files;
  }

  /** Of each of main's files its sequence numbers and the snapshot that added it. */
  private Map<String, List<Long>> entries() throws Exception {
    Map<String, List<Long>> entries = new TreeMap<>();
    Table metadata =
        MetadataTableUtils.createMetadataTableInstance(table(), MetadataTableType.ENTRIES);
    try (var tasks = metadata.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        try (var rows = task.asDataTask().rows()) {
          for (StructLike row : rows) {
            StructLike file = row.get(4, StructLike.class);
            entries.put(
                file.get(1, String.class),
                List.of(row.get(1, Long.class), row.get(2, Long.class), row.get(3, Long.class)));
          }
        }
      }
    }
    assertThat(entries).isNotEmpty();
    return entries;
  }

  private List<Integer> shardsInOrder() {
    Table table = table();
    List<Integer> shards = new ArrayList<>();
    ManifestFiles.read(
            table.currentSnapshot().dataManifests(table.io()).get(0), table.io(), table.specs())
        .forEach(file -> shards.add(file.partition().get(0, Integer.class)));
    return shards;
  }

  private long stateProperties() {
    return table().properties().keySet().stream()
        .filter(key -> key.startsWith("tributary.state."))
        .count();
  }

  private SwapOutcome one(TableState state, Slice slice) {
    return ledger.commit(plan(state, layer(part(G1, 1, slice))));
  }

  private static Slice stored(String path, long length, String sha256, FileCounts counts) {
    return Slice.of(
        List.of(new CommittableManifest.Stored(ManifestContent.DATA, path, length, sha256)),
        counts);
  }

  static void assertHalted(SwapOutcome outcome, String reason) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            SwapOutcome.TableHalted.class, halted -> assertThat(halted.reason()).contains(reason));
  }

  private static void assertFault(SwapOutcome outcome, HaltCode code, String text) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            SwapOutcome.Faulty.class,
            faulty ->
                assertThat(faulty.faults())
                    .singleElement()
                    .satisfies(
                        fault -> {
                          assertThat(fault.code()).isEqualTo(code);
                          assertThat(fault.found()).contains(text);
                        }));
  }

  Table table() {
    return catalog.loadTable(TableIdentifier.parse(ID));
  }

  private io.tributary.coordinator.core.TableLayout layout() {
    return new io.tributary.coordinator.core.TableLayout(0, 2);
  }

  TableState create() {
    return done(creator().create(creation()));
  }

  private TableCreator creator() {
    return new TableCreator(
        catalog,
        NAME,
        new TableSettings(Optional.of("orders-team"), Map.of("comment", "of the test")));
  }

  private static Action.CreateTable creation() {
    return new Action.CreateTable(
        proposal(),
        new Term(0),
        owner(),
        new PlanId(UUID.randomUUID()),
        0,
        Instant.parse("2026-01-01T00:00:00Z"));
  }

  static TableProposal proposal() {
    return new TableProposal(
        SchemaParser.toJson(
            new Schema(
                List.of(
                    Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                    Types.NestedField.required(2, "id", Types.LongType.get()),
                    Types.NestedField.optional(3, "name", Types.StringType.get())),
                java.util.Set.of(1, 2))),
        "shard_id",
        "id",
        1);
  }

  /** A table that the ledger under test has claimed, with shards 1 of g1 and 2 of g2. */
  TableState claimed() {
    TableState created = create();
    ledger.read();
    return claim(ledger, created, 1);
  }

  static TableState claim(TableLedger by, TableState expected, long term) {
    by.read();
    return done(
        by.claim(
            expected, expected.claimed(new Term(term), owner(), new PlanId(UUID.randomUUID()))));
  }

  static OwnerId owner() {
    return new OwnerId(UUID.randomUUID());
  }

  static TableState done(SwapOutcome outcome) {
    assertThat(outcome).isInstanceOf(SwapOutcome.Done.class);
    return ((SwapOutcome.Done) outcome).state();
  }

  static TableState present(TableLook look) {
    assertThat(look).isInstanceOf(TableLook.Present.class);
    return ((TableLook.Present) look).state();
  }

  static Layer.Part part(GroupName group, long epoch, Slice slice) {
    return new Layer.Part(group, new Epoch(epoch), slice);
  }

  static Layer layer(Layer.Part... parts) {
    return new Layer(Collections.emptySortedSet(), Arrays.asList(parts));
  }

  static RoundPlan plan(TableState expected, Layer... layers) {
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    shards.put(new ShardId(1), ShardState.registered(G1, SERVER));
    shards.put(new ShardId(2), ShardState.registered(G2, SERVER));
    return new RoundPlan(
        expected,
        new ArrayList<>(Arrays.asList(layers)),
        new TableState(
            expected.tableUuid(),
            expected.round().next(),
            expected.term(),
            expected.owner(),
            new PlanId(UUID.randomUUID()),
            3,
            expected.controlOffset() + 1,
            Optional.empty(),
            expected.snapshot(),
            layers.length > 0,
            FileCounts.NONE,
            FileCounts.NONE,
            Instant.parse("2026-01-01T00:00:01.5Z"),
            new TreeMap<>(),
            shards,
            new TreeMap<>()));
  }

  private static TableState withShards(TableState state, int count) {
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      GroupName group = new GroupName("group-" + i / 32);
      ServerName server = new ServerName("mysql-" + i / 8);
      groups.computeIfAbsent(
          group,
          name ->
              new GroupState(
                  new Incarnation(12),
                  new SubmissionId(UUID.randomUUID()),
                  1_000_000,
                  HelloAnswer.CONTINUE,
                  new Epoch(123_456),
                  new Epoch(123_499),
                  ChainHash.first(state.tableUuid(), name),
                  Optional.empty()));
      sources.put(
          new SourceKey(group, server), SourcePosition.of("mysql-bin.000123", 1_234_567_890L + i));
      shards.put(new ShardId(i), ShardState.registered(group, server));
    }
    return new TableState(
        state.tableUuid(),
        state.round(),
        state.term(),
        state.owner(),
        state.plan(),
        state.registryVersion(),
        state.controlOffset(),
        state.validThrough(),
        state.snapshot(),
        state.dataRound(),
        state.added(),
        state.removed(),
        state.committedAt(),
        groups,
        shards,
        sources);
  }
}
