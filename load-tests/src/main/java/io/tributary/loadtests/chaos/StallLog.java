package io.tributary.loadtests.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** When messages came, and what happened between those that are far apart. For any thread. */
final class StallLog {
  /**
   * A time without a message.
   *
   * @param causes faults that were active in it, in the order of their begin
   */
  record Stall(Instant from, Instant to, List<FaultRecord> causes) {
    Duration length() {
      return Duration.between(from, to);
    }
  }

  /**
   * How the work went on after a wave of faults.
   *
   * @param last the fault that ended last
   * @param took from that end until a message covered it
   */
  record Recovery(FaultRecord last, Duration took) {}

  private final List<Instant> messages = new ArrayList<>();
  private final List<FaultRecord> faults = new ArrayList<>();
  private final List<Recovery> recoveries = new ArrayList<>();

  synchronized void message(Instant at) {
    messages.add(at);
  }

  synchronized void fault(FaultRecord fault) {
    faults.add(fault);
  }

  synchronized void recovered(Recovery recovery) {
    recoveries.add(recovery);
  }

  synchronized List<FaultRecord> faults() {
    return List.copyOf(faults);
  }

  synchronized List<Recovery> recoveries() {
    return List.copyOf(recoveries);
  }

  synchronized Optional<Recovery> longestRecovery() {
    return recoveries.stream().max((a, b) -> a.took().compareTo(b.took()));
  }

  /** The longest time between two messages. */
  synchronized Optional<Stall> longestStall() {
    Optional<Stall> longest = Optional.empty();
    for (int i = 1; i < messages.size(); i++) {
      Instant from = messages.get(i - 1);
      Instant to = messages.get(i);
      if (longest.isEmpty() || Duration.between(from, to).compareTo(longest.get().length()) > 0) {
        longest = Optional.of(new Stall(from, to, List.of()));
      }
    }
    return longest.map(
        stall -> new Stall(stall.from(), stall.to(), activeBetween(stall.from(), stall.to())));
  }

  private List<FaultRecord> activeBetween(Instant from, Instant to) {
    return faults.stream()
        .filter(fault -> fault.begin().isBefore(to) && fault.end().isAfter(from))
        .sorted((a, b) -> a.begin().compareTo(b.begin()))
        .toList();
  }
}
