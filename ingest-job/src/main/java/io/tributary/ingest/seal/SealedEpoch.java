package io.tributary.ingest.seal;

import io.tributary.protocol.Committable;
import java.util.Objects;

/**
 * An epoch that is not known to be on the control topic.
 *
 * @param checkpointId the checkpoint whose barrier sealed it
 */
public record SealedEpoch(long checkpointId, Committable committable) {
  public SealedEpoch {
    Objects.requireNonNull(committable, "committable");
  }
}
