package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.ShardPhase;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a column of the table gets the name that its shards gave to it. */
class ColumnAgreementTest {
  private static final ColumnDifferences TITLE = ColumnDifferences.renamed(Map.of(3, "title"));

  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
  }

  @Test
  void aColumnIsRenamedInTheRoundWhoseEpochsMakeAllShardsAgree() {
    a.columns.put(0, TITLE);
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.lastRound().renames()).isEmpty();
    assertThat(driver.shard(0).columns()).isEqualTo(TITLE);

    a.columns.put(1, TITLE);
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.lastRound().renames()).isEmpty();

    b.columns.put(2, TITLE);
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.lastRound().renames()).containsExactly(Map.entry(3, "title"));
  }

  @Test
  void shardsWithDifferentNamesOrFieldsDoNotAgree() {
    a.columns.put(0, TITLE);
    a.columns.put(1, ColumnDifferences.renamed(Map.of(4, "title")));
    b.columns.put(2, ColumnDifferences.renamed(Map.of(3, "Title", 5, "x")));
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.lastRound().renames()).isEmpty();
  }

  @Test
  void aShardThatNoEpochSpeaksForDoesNotAgree() {
    a.columns.put(0, TITLE);
    a.columns.put(1, TITLE);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.shard(2).started()).isFalse();
    assertThat(driver.lastRound().renames()).isEmpty();
  }

  @Test
  void aShardThatIsBeingCopiedDoesNotAgreeAndKeepsTheNamesThatItHad() {
    a.columns.put(0, TITLE);
    a.columns.put(1, TITLE);
    b.columns.put(
        2,
        new ColumnDifferences(
            new TreeMap<>(Map.of(3, "title")),
            new TreeSet<>(List.of(4)),
            new TreeSet<>(List.of(5))));
    b.phase = ShardPhase.SNAPSHOT;
    driver.sendAll(a.changes(), b.copied());
    driver.tick();
    assertThat(driver.lastRound().renames()).isEmpty();

    b.columns.clear();
    driver.sendAll(a.changes(), b.copied());
    driver.tick();
    assertThat(driver.lastRound().renames()).isEmpty();
    assertThat(driver.shard(2).columns()).isEqualTo(TITLE);

    b.phase = ShardPhase.ACTIVE;
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.shard(2).columns()).isEqualTo(ColumnDifferences.NONE);
    assertThat(driver.lastRound().renames()).isEmpty();
  }

  @Test
  void aShardThatHaltedAgreesWithWhatItHadSaid() {
    a.columns.put(0, TITLE);
    a.columns.put(1, TITLE);
    b.columns.put(2, TITLE);
    b.phase = ShardPhase.HALTED;
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.lastRound().renames()).containsExactly(Map.entry(3, "title"));
  }

  @Test
  void aColumnThatCameWithAValueIsReportedOncePerShard() {
    a.columns.put(
        1, new ColumnDifferences(new TreeMap<>(), new TreeSet<>(), new TreeSet<>(List.of(9))));
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.alarms(Alarm.Code.COLUMN_UNFILLED)).hasSize(1);
    assertThat(driver.alarms(Alarm.Code.COLUMN_UNFILLED).get(0).text())
        .contains(
            "Cannot show in table shop.orders what old rows of shard 1 of group a hold in new columns (fields [9])",
            "expected columns without a value",
            "found ones with a DEFAULT or NOT NULL",
            "cure: copy the shard anew");
  }
}
