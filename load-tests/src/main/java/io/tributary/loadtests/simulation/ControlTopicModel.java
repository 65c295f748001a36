package io.tributary.loadtests.simulation;

import io.tributary.protocol.ControlMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The control topic: records in order; old ones are deleted from the front. */
final class ControlTopicModel {
  private final List<Optional<ControlMessage>> records = new ArrayList<>();
  private long first;

  long append(ControlMessage message) {
    records.add(Optional.of(message));
    return records.size() - 1L;
  }

  long first() {
    return first;
  }

  long end() {
    return records.size();
  }

  /** Empty for a record that was lost. */
  Optional<ControlMessage> at(long offset) {
    return records.get((int) offset);
  }

  void lose(long offset) {
    records.set((int) offset, Optional.empty());
  }

  void deleteBelow(long offset) {
    first = Math.max(first, Math.min(offset, end()));
  }
}
