package io.tributary.ingest.seal;

import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableUuid;
import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Where a group's chain of epochs stands, known once the table has answered a hello.
 *
 * @param answered the submission that was answered
 * @param layout the table the chain belongs to, and its layout when it was last read
 * @param epoch the last sealed epoch
 * @param chain its chain hash
 * @param toEmpty shards whose partitions the next epoch empties
 */
public record ChainState(
    SubmissionId answered,
    TableLayout layout,
    Epoch epoch,
    ChainHash chain,
    SortedSet<ShardId> toEmpty) {
  public ChainState {
    Objects.requireNonNull(answered, "answered");
    Objects.requireNonNull(layout, "layout");
    Objects.requireNonNull(epoch, "epoch");
    Objects.requireNonNull(chain, "chain");
    toEmpty = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<ShardId>) toEmpty));
  }

  /** The table the chain belongs to. */
  public TableUuid tableUuid() {
    return layout.tableUuid();
  }
}
