package io.tributary.cli.verify;

import io.tributary.protocol.ShardId;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The result of a comparison.
 *
 * @param table the Iceberg table's name
 * @param snapshotId the Iceberg snapshot that was read; empty when the table has none
 * @param quiet whether no source wrote anything between the beginning and the end: only then do the
 *     differences mean something
 * @param layoutProblems columns that one side lacks, rows of shards that were not asked for
 * @param shards the counts of each shard
 * @param notCompared shards that the registry names as paused or retired; their rows are left alone
 * @param differences the first differing keys of each shard
 */
public record VerifyReport(
    String table,
    OptionalLong snapshotId,
    boolean quiet,
    List<String> layoutProblems,
    List<ShardCounts> shards,
    List<ShardId> notCompared,
    List<Difference> differences) {
  public VerifyReport {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(snapshotId, "snapshotId");
    layoutProblems = List.copyOf(layoutProblems);
    shards = List.copyOf(shards);
    notCompared = List.copyOf(notCompared);
    differences = List.copyOf(differences);
  }

  /** Rows in all shards. */
  public long sourceRows() {
    return shards.stream().mapToLong(ShardCounts::sourceRows).sum();
  }

  /** Live rows in the Iceberg table. */
  public long tableRows() {
    return shards.stream().mapToLong(ShardCounts::tableRows).sum();
  }

  /** Keys at which source and table disagree, of all shards. */
  public long mismatches() {
    return shards.stream().mapToLong(ShardCounts::mismatches).sum();
  }

  /** Whether the table is known to hold exactly the sources' rows. */
  public boolean clean() {
    return quiet && mismatches() == 0 && layoutProblems.isEmpty();
  }

  /** {@code clean}, or what is wrong. */
  public String verdict() {
    if (!quiet) {
      return "source not quiet";
    }
    if (!layoutProblems.isEmpty()) {
      return String.join("; ", layoutProblems);
    }
    if (mismatches() == 0) {
      return "clean";
    }
    return "%d keys differ: %d lost, %d extra, %d doubled, %d different"
        .formatted(
            mismatches(),
            sum(Difference.Kind.LOST),
            sum(Difference.Kind.EXTRA),
            sum(Difference.Kind.DOUBLED),
            sum(Difference.Kind.DIFFERENT));
  }

  /** Keys of all shards at which source and table disagree in this way. */
  public long sum(Difference.Kind kind) {
    return shards.stream()
        .mapToLong(
            shard ->
                switch (kind) {
                  case LOST -> shard.lost();
                  case EXTRA -> shard.extra();
                  case DOUBLED -> shard.doubled();
                  case DIFFERENT -> shard.different();
                })
        .sum();
  }
}
