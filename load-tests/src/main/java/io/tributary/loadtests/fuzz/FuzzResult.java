package io.tributary.loadtests.fuzz;

import java.util.List;

/**
 * What came out of a run.
 *
 * @param seed of the run
 * @param first index of its first table
 * @param tables that were made
 * @param refusals tables that had to be refused, and were
 * @param columns of all tables
 * @param statements that the server carried out
 * @param refusedStatements that the server refused
 * @param rows that were compared, in the end
 * @param copying tables whose job died while they were copied
 * @param following tables whose job died later
 * @param fromCheckpoint jobs that were submitted anew with their newest checkpoint
 * @param withoutState jobs that were submitted anew without state
 * @param failures tables that differ, were refused, or whose job failed
 * @param seconds that it took
 */
record FuzzResult(
    long seed,
    int first,
    int tables,
    int refusals,
    int columns,
    long statements,
    long refusedStatements,
    long rows,
    int copying,
    int following,
    int fromCheckpoint,
    int withoutState,
    List<Failure> failures,
    double seconds) {
  FuzzResult {
    failures = List.copyOf(failures);
  }

  /**
   * A table that is not as it should be.
   *
   * @param table its index
   * @param reason what was found
   * @param definition of its first shard
   * @param replay the command that makes the same table again
   */
  record Failure(int table, String reason, String definition, String replay) {
    @Override
    public String toString() {
      return "Table %d: %s\n  %s\n  again: %s".formatted(table, reason, definition, replay);
    }
  }

  boolean clean() {
    return failures.isEmpty();
  }
}
