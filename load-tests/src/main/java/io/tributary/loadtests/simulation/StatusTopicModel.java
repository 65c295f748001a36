package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.StatusTail;
import io.tributary.protocol.CommitStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The commit-status topic as a read_committed reader sees it, and who may write to it. */
final class StatusTopicModel {
  private final List<CommitStatus> messages = new ArrayList<>();
  private long producer;

  /** What {@code initTransactions} does: from now on only this producer may commit. */
  long fence() {
    return ++producer;
  }

  boolean isFenced(long id) {
    return id != producer;
  }

  void commit(CommitStatus message) {
    messages.add(message);
  }

  int size() {
    return messages.size();
  }

  Optional<CommitStatus> last() {
    return messages.isEmpty() ? Optional.empty() : Optional.of(messages.get(messages.size() - 1));
  }

  Optional<StatusTail> tail() {
    return last().map(last -> new StatusTail(last.tableUuid(), last.round(), last.term()));
  }

  void recreate() {
    messages.clear();
  }
}
