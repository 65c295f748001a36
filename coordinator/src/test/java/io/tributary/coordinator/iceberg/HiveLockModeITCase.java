package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.Servers;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLook;
import io.tributary.coordinator.iceberg.TableFiles.Row;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hive.HiveCatalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Why commits that take Hive's locks are refused, on a metastore that gives locks. */
class HiveLockModeITCase {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final LedgerContract contract = new HiveLedgerITCase();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private FaultProxy proxy;
  private TableState mine;
  private TableFiles files;

  @BeforeEach
  void open() throws Exception {
    proxy = Servers.get().openProxy("metastore");
    contract.open();
    mine = contract.claimed();
    files = new TableFiles(contract.table());
  }

  @AfterEach
  void close() throws Exception {
    proxy.heal();
    threads.shutdownNow();
    contract.close();
    proxy.close();
  }

  private void setLockMode(String value) {
    UpdateProperties update = contract.table().updateProperties();
    if (value.equals("absent")) {
      update.remove(LedgerChecks.HIVE_LOCK).commit();
    } else {
      update.set(LedgerChecks.HIVE_LOCK, value).commit();
    }
  }

  private RoundPlan row(TableState expected, String name) {
    return LedgerContract.plan(
        expected,
        LedgerContract.layer(
            LedgerContract.part(LedgerContract.G1, 1, files.rows(1, new Row(1, name)))));
  }

  private TableState claim() {
    return mine.claimed(mine.term(), LedgerContract.owner(), new PlanId(UUID.randomUUID()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "absent"})
  void everyAttemptOnATableInLockModeIsRefusedByName(String value) {
    setLockMode(value);
    String reason =
        "expected property engine.hive.lock-enabled=false, found "
            + (value.equals("absent") ? "null" : value)
            + "; with Hive locks a late request overwrites committed rounds";

    assertThat(contract.ledger.read())
        .isInstanceOfSatisfying(
            TableLook.Unusable.class, look -> assertThat(look.reason()).contains(reason));
    LedgerContract.assertHalted(contract.ledger.commit(row(mine, "a")), reason);
    LedgerContract.assertHalted(contract.ledger.commit(LedgerContract.plan(mine)), reason);
    LedgerContract.assertHalted(contract.ledger.claim(mine, claim()), reason);

    setLockMode("false");
    LedgerContract.done(contract.ledger.commit(row(mine, "a")));
  }

  private HiveCatalog behindTheProxy(Map<String, String> settings) {
    Configuration hadoop = new Configuration();
    hadoop.set("hive.metastore.client.socket.timeout", "5s");
    settings.forEach(hadoop::set);
    HiveCatalog hive = new HiveCatalog();
    hive.setConf(hadoop);
    hive.initialize(
        "late",
        Map.of(
            "uri",
            "thrift://" + proxy.address(),
            "warehouse",
            Servers.get().endpoints().warehouse().toString()));
    return hive;
  }

  private TableLedger ledger(HiveCatalog catalog, Protections protections) {
    return new TableLedger(
        LedgerContract.NAME,
        TableLedger.in(catalog, LedgerContract.NAME),
        false,
        threads,
        LedgerHooks.NONE,
        protections);
  }

  /**
   * One coordinator's round is on its way for so long that its client gives it up; another one
   * takes over and commits its own; then the first one's request arrives.
   *
   * @return the state that the other one committed
   */
  private TableState overtake(Protections protections) throws Exception {
    TableLedger slow = ledger(behindTheProxy(Map.of()), protections);
    slow.read();
    Trap trap = proxy.trap(Fault.HOLD_REQUEST, "alter_table");
    CompletableFuture<SwapOutcome> late =
        CompletableFuture.supplyAsync(() -> slow.commit(row(mine, "late")), threads);
    trap.awaitHit(PATIENCE);
    assertThat(late.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .isNotInstanceOf(SwapOutcome.Done.class);
    TableLedger successor = ledger((HiveCatalog) contract.catalog, protections);
    TableState theirs = LedgerContract.claim(successor, mine, 2);
    theirs = LedgerContract.done(successor.commit(row(theirs, "theirs")));

    trap.release();
    await().atMost(PATIENCE).until(() -> trap.answered() == trap.hits());
    return theirs;
  }

  @Test
  void withoutLocksARequestThatArrivesLateIsRefused() throws Exception {
    TableState theirs = overtake(Protections.all());

    assertThat(LedgerContract.present(contract.otherLedger().read())).isEqualTo(theirs);
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "theirs"));
  }

  @Test
  void withLocksARequestThatArrivesLateOverwritesACommittedRoundAndAClaim() throws Exception {
    setLockMode("true");
    Protections unchecked = Protections.without(Protection.COMPARE_AND_SET);

    overtake(unchecked);

    TableState found =
        LedgerContract.present(ledger((HiveCatalog) contract.catalog, unchecked).read());
    assertThat(found.term()).isEqualTo(new Term(1));
    assertThat(files.visibleRows()).containsExactly(entry("1/1", "late"));
  }

  /** The table's own property goes before an engine's configuration. */
  @Test
  void anEngineThatIsConfiguredForLocksComparesOnThisTableAllTheSame() throws Exception {
    HiveCatalog engine = behindTheProxy(Map.of("iceberg.engine.hive.lock-enabled", "true"));
    Table table = engine.loadTable(TableIdentifier.parse(LedgerContract.ID));
    Trap trap = proxy.trap(Fault.HOLD_REQUEST, "alter_table");
    CompletableFuture<Void> foreign =
        CompletableFuture.runAsync(
            () -> table.newAppend().appendFile(files.data(9, new Row(5, "foreign"))).commit(),
            threads);
    trap.awaitHit(PATIENCE);
    TableState done = LedgerContract.done(contract.ledger.commit(row(mine, "ours")));

    trap.release();
    await().atMost(PATIENCE).until(() -> trap.answered() == trap.hits());
    foreign.handle((nothing, failure) -> nothing).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

    assertThat(LedgerContract.present(contract.otherLedger().read())).isEqualTo(done);
    assertThat(files.visibleRows()).containsEntry("1/1", "ours");
  }
}
