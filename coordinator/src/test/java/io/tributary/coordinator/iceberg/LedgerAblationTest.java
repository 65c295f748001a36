package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLook;
import io.tributary.coordinator.iceberg.TableFiles.Row;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.Slice;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.Term;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What each rule of the ledger is for: left out, the damage it prevents is done to a real table.
 * {@link LedgerContract} shows that with it nothing happens.
 */
class LedgerAblationTest {
  private final LedgerContract contract =
      new LedgerContract() {
        private final InMemoryCatalog memory = new InMemoryCatalog();

        @Override
        Catalog openCatalog() {
          memory.initialize("test", Map.of());
          return memory;
        }

        @Override
        void closeCatalog() throws Exception {
          memory.close();
        }
      };
  private final ExecutorService readers = Executors.newFixedThreadPool(2);
  private TableState mine;
  private TableFiles files;

  @BeforeEach
  void open() throws Exception {
    contract.open();
    mine = contract.claimed();
    files = new TableFiles(contract.table());
  }

  @AfterEach
  void close() throws Exception {
    readers.shutdownNow();
    contract.close();
  }

  private TableLedger without(Protection left, LedgerHooks hooks) {
    return new TableLedger(
        LedgerContract.NAME, contract.network, false, readers, hooks, Protections.without(left));
  }

  private TableLedger without(Protection left) {
    return without(left, LedgerHooks.NONE);
  }

  /** Another coordinator takes over between the check and the swap. */
  private LedgerHooks takeover() {
    AtomicReference<TableState> theirs = new AtomicReference<>();
    return new LedgerHooks() {
      @Override
      public void baseChecked(TableMetadata base) {
        if (theirs.get() == null) {
          theirs.set(LedgerContract.claim(contract.otherLedger(), mine, 2));
        }
      }
    };
  }

  private RoundPlan round(TableState expected, long epoch, Slice slice) {
    return LedgerContract.plan(
        expected, LedgerContract.layer(LedgerContract.part(LedgerContract.G1, epoch, slice)));
  }

  private RoundPlan row(TableState expected, long epoch, long id, String name) {
    return round(expected, epoch, files.rows(1, new Row(id, name)));
  }

  private Term termInTable() {
    return LedgerContract.present(contract.otherLedger().read()).term();
  }

  @Test
  void aDataRoundOnAnUncheckedBaseOverwritesAClaim() {
    LedgerContract.done(
        without(Protection.CHECKED_BASE_OF_DATA_ROUNDS, takeover()).commit(row(mine, 1, 1, "a")));
    assertThat(termInTable()).isEqualTo(new Term(1));
  }

  @Test
  void anIdleRoundOnAnUncheckedBaseOverwritesAClaim() {
    LedgerContract.done(
        without(Protection.CHECKED_BASE_OF_IDLE_ROUNDS, takeover())
            .commit(LedgerContract.plan(mine)));
    assertThat(termInTable()).isEqualTo(new Term(1));
  }

  @Test
  void aClaimOnAnUncheckedBaseOverwritesAClaim() {
    LedgerContract.done(
        without(Protection.CHECKED_BASE_OF_CLAIMS, takeover())
            .claim(
                mine,
                mine.claimed(new Term(1), LedgerContract.owner(), new PlanId(UUID.randomUUID()))));
    assertThat(termInTable()).isEqualTo(new Term(1));
  }

  @Test
  void onACheckedBaseTheTakeoverStands() {
    TableLedger ledger = without(Protection.TAG, takeover());
    assertThat(ledger.commit(row(mine, 1, 1, "a"))).isInstanceOf(SwapOutcome.Conflict.class);
    assertThat(termInTable()).isEqualTo(new Term(2));
  }

  @Test
  void withoutTheTagAnExpiryTakesTheLastRoundsSnapshot() {
    TableLedger ledger = without(Protection.TAG);
    TableState state = LedgerContract.done(ledger.commit(row(mine, 1, 1, "a")));
    contract.table().newAppend().appendFile(files.data(9, new Row(5, "foreign"))).commit();
    contract
        .table()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1)
        .retainLast(1)
        .commit();
    assertThat(ledger.canBeRead(state.snapshot())).isFalse();
  }

  @Test
  void withoutTheAncestryARoundIsBuiltOnATableThatWasRolledBack() {
    TableLedger ledger = without(Protection.TAG_IS_ANCESTOR);
    TableState state = LedgerContract.done(ledger.commit(row(mine, 1, 1, "a")));
    long first = contract.table().currentSnapshot().snapshotId();
    state = LedgerContract.done(ledger.commit(row(state, 2, 2, "lost")));
    contract.table().manageSnapshots().rollbackTo(first).commit();

    LedgerContract.done(ledger.commit(row(state, 3, 3, "c")));

    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"), entry("1/3", "c"));
  }

  @Test
  void filesThatNobodyLooksForAreMissingForTheReaders() {
    DataFile gone = files.data(1, new Row(1, "a"));
    Slice slice = files.slice(List.of(gone), List.of());
    contract.table().io().deleteFile(gone.location());

    LedgerContract.done(without(Protection.FILES_SEEN).commit(round(mine, 1, slice)));

    assertThat(contract.table().currentSnapshot().summary()).containsEntry("added-records", "1");
    assertThatThrownBy(files::visibleRows).isInstanceOf(RuntimeException.class);
  }

  @Test
  void aGroupThatNobodyAsksWritesIntoAnothersShard() {
    LedgerContract.done(
        without(Protection.FILES_OWNED)
            .commit(round(mine, 1, files.rows(2, new Row(1, "not mine")))));
    assertThat(files.visibleRows()).containsExactly(entry("2/1", "not mine"));
  }

  @Test
  void filesForOtherColumnsGetIntoTheTable() {
    Slice theirs = contract.writtenForOtherColumns(files -> files.rows(1, new Row(7, "a")));
    contract.table().updateSchema().addColumn("price", Types.LongType.get()).commit();

    LedgerContract.done(without(Protection.FILES_OF_THE_SCHEMA).commit(round(mine, 1, theirs)));

    // The weight of theirs.
    assertThat(files.visible("price")).containsExactly(entry("1/7", "7"));
  }

  @Test
  void olderMetadataThatNobodyRemembersPassesForTheTable() {
    TableLedger forgetful = without(Protection.NEVER_BELOW_SEEN);
    TableState state = mine;
    for (int i = 0; i < 3; i++) {
      state = LedgerContract.done(forgetful.commit(LedgerContract.plan(state)));
    }
    var update = contract.table().updateProperties();
    TableStateCodec.encode(mine).forEach(update::set);
    update.commit();

    assertThat(forgetful.read()).isInstanceOf(TableLook.Present.class);
  }

  @Test
  void filesOfALostAnswerThatAreTidiedUpAreMissingForTheReaders() {
    TableLedger tidy = without(Protection.NOTHING_DELETED);
    contract.network.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);

    assertThat(tidy.commit(row(mine, 1, 1, "a"))).isInstanceOf(SwapOutcome.Unknown.class);

    assertThat(contract.table().currentSnapshot().summary()).containsEntry("added-records", "1");
    assertThatThrownBy(files::visibleRows).isInstanceOf(RuntimeException.class);
  }

  @Test
  void filesOfALostAnswerThatAreLeftAloneAreThere() {
    TableLedger ledger = without(Protection.TAG);
    contract.network.next(UnreliableCatalog.Fault.APPLIED_ANSWER_LOST);

    assertThat(ledger.commit(row(mine, 1, 1, "a"))).isInstanceOf(SwapOutcome.Unknown.class);

    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"));
  }

  @Test
  void aTableWhoseCommitsTakeLocksPasses() {
    contract.table().updateProperties().set(LedgerChecks.HIVE_LOCK, "true").commit();
    TableLedger ledger = without(Protection.COMPARE_AND_SET);

    LedgerContract.done(ledger.commit(row(mine, 1, 1, "a")));
  }

  @Test
  void aRefusalTakenForProofForgetsARoundThatIsInTheTable() {
    TableLedger ledger = without(Protection.CONFLICT_IS_NO_PROOF);
    RoundPlan plan = row(mine, 1, 1, "a");
    TableLedger resent =
        new TableLedger(
            LedgerContract.NAME,
            contract.network,
            false,
            readers,
            new LedgerHooks() {
              @Override
              public void beforeSwap(TableMetadata base, TableMetadata next) {
                // The client sends its request twice; the answer to the first one was lost.
                TableOperations client = contract.network.get();
                client.commit(client.current(), next);
              }
            },
            Protections.without(Protection.CONFLICT_IS_NO_PROOF));

    assertThat(resent.commit(plan)).isInstanceOf(SwapOutcome.Conflict.class);
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "a"));
    assertThat(LedgerContract.present(ledger.read()).plan()).isEqualTo(plan.next().plan());
  }

  /** The rounds of a table to which nothing can be committed any more are tried for ever. */
  @Test
  void aColumnThatIsAddedTwiceKeepsEachRoundFromTheTable() {
    TableLedger careless = without(Protection.COLUMNS_ADDED_ONCE);
    RequestedColumn price = new RequestedColumn("price", "int");
    TableState state =
        LedgerContract.done(
            careless.commit(LedgerContract.with(List.of(price), LedgerContract.plan(mine))));
    assertThat(careless.commit(LedgerContract.with(List.of(price), LedgerContract.plan(state))))
        .isInstanceOf(SwapOutcome.Unreachable.class);
  }

  @Test
  void aColumnThatIsMadeNarrowerKeepsEachRoundFromTheTable() {
    TableLedger careless = without(Protection.COLUMNS_ONLY_WIDEN);
    TableState state =
        LedgerContract.done(
            careless.commit(
                LedgerContract.with(
                    List.of(new RequestedColumn("price", "long")), LedgerContract.plan(mine))));
    assertThat(
            careless.commit(
                LedgerContract.with(
                    List.of(new RequestedColumn("price", "int")), LedgerContract.plan(state))))
        .isInstanceOf(SwapOutcome.Unreachable.class);
  }
}
