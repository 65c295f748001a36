package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.Slice;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Somebody rolls the table back, replaces it or changes its settings under a coordinator. */
class TamperedTableITCase {
  private final List<String> reasons = new CopyOnWriteArrayList<>();
  private LoopBench bench;

  @BeforeEach
  void open() {
    bench = new LoopBench();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private LoopBench.Running startTelling() {
    return bench.start(
        bench
            .setup()
            .withSteps(
                LoopBench.telling(
                    action -> {
                      if (action instanceof Action.StopTable stop) {
                        reasons.add(stop.reason());
                      }
                    })));
  }

  private void assertStops(LoopBench.Running running, String reason) {
    running.awaitEnd();
    assertThat(running.fault()).isEmpty();
    assertThat(running.end()).contains(CoordinatorLoop.End.STOPPED);
    assertThat(reasons).last().asString().contains(bench.name.value()).contains(reason);
  }

  private RoundNumber round() {
    return bench.state().orElseThrow().round();
  }

  @Test
  void aTableThatIsRolledBackAndThenAppendedToByAnotherWriterIsLeftAlone() {
    LoopBench.Running running = startTelling();
    TestGroup a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);
    long first = bench.table().currentSnapshot().snapshotId();
    a.upsert(bench.table(), 2, "two");
    bench.awaitCommitted(a, 2);

    running.close();
    bench.table().manageSnapshots().rollbackTo(first).commit();
    Table table = bench.table();
    table
        .newAppend()
        .appendFile(new TableFiles(table).data(9, new TableFiles.Row(5, "foreign")))
        .commit();
    RoundNumber before = round();
    a.upsert(bench.table(), 3, "three");

    assertStops(startTelling(), "somebody rolled the table back");
    assertThat(round()).isEqualTo(before);
    assertThat(new TableFiles(bench.table()).visibleRows()).containsOnlyKeys("1/1", "9/5");
  }

  @Test
  void aTableThatIsRolledBackUnderARunningCoordinatorStopsIt() {
    LoopBench.Running running = startTelling();
    TestGroup a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);
    long first = bench.table().currentSnapshot().snapshotId();
    a.upsert(bench.table(), 2, "two");
    bench.awaitCommitted(a, 2);

    Table table = bench.table();
    bench.commitAsOthers(found -> found.manageSnapshots().rollbackTo(first).commit());
    a.upsert(table, 3, "three");

    assertStops(running, "somebody rolled the table back");
  }

  @Test
  void aTableThatIsDroppedAndCreatedAgainTakesNothingThatWasWrittenForTheOldOne() {
    LoopBench.Running running = startTelling();
    TestGroup a = bench.group("a", 1);
    Table old = bench.table();
    a.upsert(old, 1, "one");
    bench.awaitCommitted(a, 1);
    TableFiles written = new TableFiles(old);
    Slice late = written.upsert(1, new TableFiles.Row(2, "for the old table"));
    bench.catalog().dropTable(TableIdentifier.parse(bench.name.value()), false);
    // Waits in the topic, in front of the hello that has the table created again.
    a.epoch(old, late);
    assertStops(running, "somebody dropped or renamed it");

    LoopBench.Running again = startTelling();
    bench.sayHello("b", 2);

    // The readers of the status topic know another table by this name.
    assertStops(again, "of another table, UUID " + old.uuid() + " instead of ");
    assertThat(bench.table().uuid()).isNotEqualTo(old.uuid());
    assertThat(bench.table().currentSnapshot()).isNull();
  }

  @Test
  void aTableThatIsPutInLockModeStopsTheCoordinatorByName() {
    LoopBench.Running running = startTelling();
    TestGroup a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);

    bench.commitAsOthers(
        table -> table.updateProperties().set("engine.hive.lock-enabled", "true").commit());
    a.upsert(bench.table(), 2, "two");

    assertStops(running, "expected property engine.hive.lock-enabled=false, found true");
    RoundNumber before = round();
    assertStops(startTelling(), "expected property engine.hive.lock-enabled=false, found true");
    bench.commitAsOthers(
        table -> table.updateProperties().remove("engine.hive.lock-enabled").commit());
    assertStops(startTelling(), "expected property engine.hive.lock-enabled=false, found null");
    assertThat(round()).isEqualTo(before);
  }
}
