package io.tributary.loadtests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.demo.workload.Commit;
import io.tributary.protocol.ShardId;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CommitJournalTest {
  private static final ShardId SHARD = new ShardId(3);
  private static final String WHAT = "message of round 5";

  private final CommitJournal journal = new CommitJournal();
  private final Map<Long, Instant> table = new HashMap<>();

  /** Seconds. */
  private static Instant at(long time) {
    return Instant.ofEpochSecond(time);
  }

  /** A transaction with statements between two whole seconds, confirmed half a second later. */
  private void commit(long second, boolean certain, Commit.RowChange... rows) {
    journal.add(
        new Commit(
            SHARD,
            List.of(rows),
            at(second),
            at(second).plusMillis(200),
            at(second).plusMillis(500),
            certain));
  }

  private static Commit.RowChange written(long key) {
    return new Commit.RowChange(key, true);
  }

  private static Commit.RowChange deleted(long key) {
    return new Commit.RowChange(key, false);
  }

  private void check(long validThrough) {
    journal.check(at(validThrough), (shard, key) -> Optional.ofNullable(table.get(key)), WHAT);
  }

  @Test
  void aWatermarkSpeaksForWhatWasConfirmedBeforeIt() {
    commit(10, true, written(1));
    commit(20, true, written(2));
    table.put(1L, at(10).plusMillis(100));
    check(20);
    assertThat(journal.checked()).isEqualTo(1);
    assertThat(journal.violated()).isZero();
    assertThat(journal.covered()).contains(at(20));
    table.put(2L, at(20).plusMillis(100));
    check(21);
    assertThat(journal.checked()).isEqualTo(2);
    assertThat(journal.violated()).isZero();
  }

  @Test
  void aRowThatIsNotThereIsAViolationThatNamesIt() {
    commit(10, true, written(1), written(2));
    check(11);
    assertThat(journal.violated()).isEqualTo(1);
    assertThat(journal.violations())
        .containsExactly(
            "message of round 5 says complete up to 1970-01-01T00:00:11Z, but shard 3 key 1, written by a transaction confirmed at 1970-01-01T00:00:10.500Z, is not there",
            "message of round 5 says complete up to 1970-01-01T00:00:11Z, but shard 3 key 2, written by a transaction confirmed at 1970-01-01T00:00:10.500Z, is not there");
  }

  @Test
  void anOldStateOfARowIsAViolation() {
    commit(10, true, written(1));
    table.put(1L, at(9));
    check(11);
    assertThat(journal.violated()).isEqualTo(1);
    assertThat(journal.violations().get(0)).endsWith("is there as of 1970-01-01T00:00:09Z");
  }

  @Test
  void aDeletedRowThatIsStillThereIsAViolation() {
    commit(10, true, deleted(1));
    table.put(1L, at(9));
    check(11);
    assertThat(journal.violated()).isEqualTo(1);
    assertThat(journal.violations().get(0)).contains("key 1, deleted by a transaction");
  }

  @Test
  void aLaterStateOfARowIsAsGood() {
    commit(10, true, written(1), written(2));
    commit(20, true, written(1), deleted(2));
    table.put(1L, at(20).plusMillis(100));
    check(11);
    assertThat(journal.violated()).isZero();
    check(21);
    assertThat(journal.violated()).isZero();
    assertThat(journal.checked()).isEqualTo(2);
  }

  @Test
  void anEarlierDeletionDoesNotExcuseAMissingRow() {
    commit(10, true, deleted(1));
    commit(20, false, written(2));
    commit(30, true, written(2));
    check(31);
    assertThat(journal.violated()).isEqualTo(1);
  }

  @Test
  void whatWasNotConfirmedMayBeThereOrNot() {
    commit(10, true, written(1), written(2));
    commit(20, false, deleted(1), written(3));
    table.put(2L, at(10));
    check(11);
    assertThat(journal.violated()).as("key 1 may have been deleted meanwhile").isZero();
    check(21);
    assertThat(journal.violated()).isZero();
    assertThat(journal.checked()).isEqualTo(1);
  }
}
