package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks that each message follows the one before: rounds contiguous and each once, one table, term
 * and watermark never falling. Pure; one instance for one reading of a topic.
 */
final class RoundSequence {
  private Optional<RoundNumber> last;
  private Optional<TableUuid> table = Optional.empty();
  private Optional<Term> term = Optional.empty();
  private Optional<Watermark> watermark = Optional.empty();

  private RoundSequence(Optional<RoundNumber> last) {
    this.last = last;
  }

  /** A sequence whose first message may be any round. */
  static RoundSequence fromAnyRound() {
    return new RoundSequence(Optional.empty());
  }

  /** A sequence whose first message must be the round that follows this one. */
  static RoundSequence after(RoundNumber round) {
    return new RoundSequence(Optional.of(round));
  }

  /** What is wrong with this message; none when it follows the one before. */
  List<SequenceFault> accept(CommitStatus status, long offset) {
    List<SequenceFault> faults = new ArrayList<>();
    if (table.isPresent() && !table.get().equals(status.tableUuid())) {
      faults.add(new SequenceFault.TableReplaced(table.get(), status.tableUuid(), offset));
      last = Optional.empty();
      term = Optional.empty();
      watermark = Optional.empty();
    }
    table = Optional.of(status.tableUuid());
    if (last.isPresent() && status.round().compareTo(last.get()) <= 0) {
      // The rest of an old message says nothing new, and it may well be older.
      faults.add(new SequenceFault.Repeated(status.round(), last.get(), offset));
      return faults;
    }
    if (last.isPresent() && !status.round().equals(last.get().next())) {
      faults.add(new SequenceFault.Missing(last.get(), status.round(), offset));
    }
    last = Optional.of(status.round());
    if (term.isPresent() && status.term().compareTo(term.get()) < 0) {
      faults.add(new SequenceFault.TermFell(term.get(), status.term(), status.round(), offset));
    } else {
      term = Optional.of(status.term());
    }
    if (watermark.isPresent()
        && status
            .promisedThrough()
            .filter(promised -> promised.compareTo(watermark.get()) >= 0)
            .isPresent()) {
      // An older state was accepted: nothing is said until the promise holds again.
      watermark = status.promisedThrough();
    } else if (watermark.isPresent()
        && status.validThrough().map(now -> now.compareTo(watermark.get()) < 0).orElse(true)) {
      faults.add(
          new SequenceFault.WatermarkFell(
              watermark.get(), status.validThrough(), status.round(), offset));
    } else {
      watermark = status.validThrough();
    }
    return faults;
  }
}
