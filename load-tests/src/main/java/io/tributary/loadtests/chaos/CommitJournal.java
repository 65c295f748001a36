package io.tributary.loadtests.chaos;

import io.tributary.cli.demo.workload.Commit;
import io.tributary.protocol.ShardId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the workload has committed and no watermark has spoken for yet. When a message says that the
 * table is complete up to T, every transaction that was confirmed before T must show in the
 * message's snapshot: each row it left behind at its state or at a later one.
 *
 * <p>The shard's transactions come one after the other, so the later state of a row is recognised
 * by its {@code updated_at}, and keys are never used again. For any thread.
 */
final class CommitJournal {
  /** The rows of one snapshot. */
  interface Rows {
    /**
     * @return the row's {@code updated_at}; empty when there is no such row
     */
    Optional<Instant> updatedAt(ShardId shard, long key);
  }

  private static final int MOST_NAMED = 20;

  /** A row's changes that no watermark covers yet, in order. */
  private record Change(Commit by, boolean present) {}

  private record RowId(ShardId shard, long key) {}

  private final Map<ShardId, Deque<Commit>> uncovered = new HashMap<>();
  private final Map<RowId, Deque<Change>> changes = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private long violated;
  private long checked;
  private Optional<Instant> covered = Optional.empty();

  synchronized void add(Commit commit) {
    uncovered.computeIfAbsent(commit.shard(), shard -> new ArrayDeque<>()).add(commit);
    for (Commit.RowChange row : commit.changes()) {
      changes
          .computeIfAbsent(new RowId(commit.shard(), row.key()), id -> new ArrayDeque<>())
          .add(new Change(commit, row.present()));
    }
  }

  /**
   * Checks what a message promises.
   *
   * @param validThrough the message's watermark
   * @param rows those of its snapshot
   * @param what how the message is called in a violation
   */
  synchronized void check(Instant validThrough, Rows rows, String what) {
    covered = Optional.of(validThrough);
    for (Deque<Commit> shard : uncovered.values()) {
      while (!shard.isEmpty() && shard.peek().after().isBefore(validThrough)) {
        check(shard.remove(), validThrough, rows, what);
      }
    }
  }

  private void check(Commit commit, Instant validThrough, Rows rows, String what) {
    boolean whole = true;
    for (Commit.RowChange row : commit.changes()) {
      RowId id = new RowId(commit.shard(), row.key());
      Deque<Change> ofRow = changes.get(id);
      Change change = ofRow.remove();
      if (ofRow.isEmpty()) {
        changes.remove(id);
      }
      if (commit.certain()) {
        Optional<Instant> found = rows.updatedAt(commit.shard(), row.key());
        if (!shows(change, found, ofRow)) {
          whole = false;
          name(
              "%s says complete up to %s, but shard %s key %d, %s by a transaction confirmed at %s, is %s"
                  .formatted(
                      what,
                      validThrough,
                      commit.shard(),
                      row.key(),
                      row.present() ? "written" : "deleted",
                      commit.after(),
                      found.map(at -> "there as of " + at).orElse("not there")));
        }
      }
    }
    if (commit.certain()) {
      checked++;
      violated += whole ? 0 : 1;
    }
  }

  private static boolean shows(Change change, Optional<Instant> found, Deque<Change> later) {
    if (!change.present()) {
      return found.isEmpty();
    }
    return found
        .map(at -> !at.isBefore(change.by().since()))
        .orElseGet(() -> later.stream().anyMatch(other -> !other.present()));
  }

  private void name(String violation) {
    if (violations.size() < MOST_NAMED) {
      violations.add(violation);
    }
  }

  /** Transactions that were missing when a watermark spoke for them. */
  synchronized long violated() {
    return violated;
  }

  /** Transactions that a watermark has spoken for. */
  synchronized long checked() {
    return checked;
  }

  /** The first violations, in words. */
  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** The highest watermark that was checked. */
  synchronized Optional<Instant> covered() {
    return covered;
  }
}
