package io.tributary.ingest.seal;

import io.tributary.ingest.source.Emptied;
import io.tributary.protocol.SubmissionId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything the sealer keeps in Flink state.
 *
 * @param submission the submission that wrote it
 * @param chain absent until a hello was answered
 * @param unsent sealed epochs that are not known to be on the control topic, in order
 * @param held results that belong to no epoch yet: their barrier did not reach the sealer, or
 *     reached it before the hello was answered; in the order of their checkpoints
 * @param emptied what statements emptied, where that belongs to no epoch yet for the same reasons;
 *     in the order of their checkpoints
 * @param sources every source; empty until a hello was answered
 */
public record SealerState(
    SubmissionId submission,
    Optional<ChainState> chain,
    List<SealedEpoch> unsent,
    List<WriterResult> held,
    List<Emptied> emptied,
    SortedMap<SourceId, SourceState> sources) {
  public SealerState {
    Objects.requireNonNull(submission, "submission");
    Objects.requireNonNull(chain, "chain");
    unsent = List.copyOf(unsent);
    held = List.copyOf(held);
    emptied = List.copyOf(emptied);
    sources =
        Collections.unmodifiableSortedMap(new TreeMap<>((Map<SourceId, SourceState>) sources));
  }
}
