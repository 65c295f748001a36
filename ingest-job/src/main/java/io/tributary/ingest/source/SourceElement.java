package io.tributary.ingest.source;

import io.tributary.ingest.row.ShardRow;
import java.util.Objects;

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

  /** Where the reader stands after all rows before this element. */
  record Standing(SourceMark mark) implements SourceElement {
    public Standing {
      Objects.requireNonNull(mark, "mark");
    }
  }
}
