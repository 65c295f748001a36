package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * A shard on its way to another owner: from the round in which it became the new owner's until an
 * epoch of that one has taken it further.
 *
 * @param after only a submission of the new owner with a higher incarnation speaks for the shard:
 *     what an earlier one reads of it has a hole; absent once such an epoch is committed
 * @param position where the old owner's committed rows of the shard end, and the watermark of the
 *     shard belongs to; absent when the shard is copied anew
 */
public record ShardMove(Optional<Incarnation> after, Optional<SourcePosition> position) {
  public ShardMove {
    Objects.requireNonNull(after, "after");
    Objects.requireNonNull(position, "position");
  }

  /** Whether an epoch of this incarnation may speak for the shard. */
  public boolean lets(Incarnation incarnation) {
    return after.filter(last -> incarnation.compareTo(last) <= 0).isEmpty();
  }

  /** The same move, once its new owner has begun. */
  public ShardMove begun() {
    return new ShardMove(Optional.empty(), position);
  }
}
