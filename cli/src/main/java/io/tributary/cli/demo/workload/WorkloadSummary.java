package io.tributary.cli.demo.workload;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What a workload did.
 *
 * @param transactions committed transactions
 * @param inserts rows inserted
 * @param updates rows updated with their keys kept
 * @param deletes rows deleted
 * @param keyUpdates rows whose keys were changed
 * @param uncertain transactions that a server, gone meanwhile, did not confirm; not counted above
 * @param lastCommit a time of the servers' clocks after the last commit; empty without one
 */
public record WorkloadSummary(
    long transactions,
    long inserts,
    long updates,
    long deletes,
    long keyUpdates,
    long uncertain,
    Optional<Instant> lastCommit) {
  static final WorkloadSummary NONE = new WorkloadSummary(0, 0, 0, 0, 0, 0, Optional.empty());

  public WorkloadSummary {
    Objects.requireNonNull(lastCommit, "lastCommit");
  }

  /** Rows of equality deletes that these changes cost at most: a changed key costs two. */
  public long equalityDeletes() {
    return changes() + keyUpdates;
  }

  /** Changes of rows; a changed key counts once. */
  public long changes() {
    return inserts + updates + deletes + keyUpdates;
  }

  WorkloadSummary plus(WorkloadSummary other) {
    Optional<Instant> last =
        lastCommit.isEmpty()
            ? other.lastCommit
            : lastCommit.map(
                mine -> other.lastCommit.filter(theirs -> theirs.isAfter(mine)).orElse(mine));
    return new WorkloadSummary(
        transactions + other.transactions,
        inserts + other.inserts,
        updates + other.updates,
        deletes + other.deletes,
        keyUpdates + other.keyUpdates,
        uncertain + other.uncertain,
        last);
  }
}
