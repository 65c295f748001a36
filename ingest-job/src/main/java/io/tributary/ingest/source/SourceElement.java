package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the reader hands to the position operator, in the order of the source: rows, and after each
 * batch of them where the reader stands. A barrier never falls between the rows of a batch and the
 * standing behind it, since one batch is handed over in one step.
 */
public sealed interface SourceElement {
  /** A row of a shard. */
  record Row(ShardRow row) implements SourceElement {
    public Row {
      Objects.requireNonNull(row, "row");
    }
  }

  /**
   * A statement emptied shards behind all rows before this element. No row follows before the next
   * barrier.
   */
  record ShardsEmptied(SortedSet<ShardId> shards) implements SourceElement {
    public ShardsEmptied {
      shards = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<ShardId>) shards));
    }
  }

  /** Where the reader stands after all rows before this element. */
  record Standing(SourceMark mark) implements SourceElement {
    public Standing {
      Objects.requireNonNull(mark, "mark");
    }
  }
}
