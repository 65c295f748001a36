package io.tributary.protocol.reader;

import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.util.Optional;

/** A message that does not follow the one before it; the coordinator never publishes one. */
public sealed interface SequenceFault {
  /** The offset of the message on the topic. */
  long offset();

  /**
   * A round that was there already, or one below it.
   *
   * @param last the highest round so far
   */
  record Repeated(RoundNumber round, RoundNumber last, long offset) implements SequenceFault {
    @Override
    public String toString() {
      return "expected round %s, found round %s again at offset %d"
          .formatted(last.next(), round, offset);
    }
  }

  /**
   * Rounds that are not there: they were deleted from the topic, or never published.
   *
   * @param last the highest round so far
   * @param found the next one on the topic
   */
  record Missing(RoundNumber last, RoundNumber found, long offset) implements SequenceFault {
    /** How many rounds are missing, at least 1. */
    public long count() {
      return found.value() - last.value() - 1;
    }

    @Override
    public String toString() {
      return "expected round %s, found round %s at offset %d: %d missing"
          .formatted(last.next(), found, offset, count());
    }
  }

  /** The table under this name is another one, with rounds of its own. */
  record TableReplaced(TableUuid before, TableUuid after, long offset) implements SequenceFault {
    @Override
    public String toString() {
      return "expected table UUID %s, found %s at offset %d".formatted(before, after, offset);
    }
  }

  /** A message of a coordinator that an earlier message's coordinator had replaced. */
  record TermFell(Term before, Term after, RoundNumber round, long offset)
      implements SequenceFault {
    @Override
    public String toString() {
      return "expected a term of at least %s, found %s in round %s at offset %d"
          .formatted(before, after, round, offset);
    }
  }

  /** A watermark below an earlier message's, or none after one. */
  record WatermarkFell(Watermark before, Optional<Watermark> after, RoundNumber round, long offset)
      implements SequenceFault {
    @Override
    public String toString() {
      return "expected a watermark of at least %s, found %s in round %s at offset %d"
          .formatted(before, after.map(Watermark::toString).orElse("none"), round, offset);
    }
  }
}
