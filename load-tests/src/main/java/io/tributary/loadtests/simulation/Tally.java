package io.tributary.loadtests.simulation;

import java.util.EnumMap;
import java.util.Map;

/** What happened in one run or in many. */
public final class Tally {
  private final Map<FaultKind, Long> faults = new EnumMap<>(FaultKind.class);
  private final Map<MatrixLine, Long> lines = new EnumMap<>(MatrixLine.class);
  private long seeds;
  private long events;
  private long rounds;

  void count(FaultKind kind) {
    faults.merge(kind, 1L, Long::sum);
  }

  void count(MatrixLine line) {
    lines.merge(line, 1L, Long::sum);
  }

  void ran(long itsEvents, long itsRounds) {
    seeds++;
    events += itsEvents;
    rounds += itsRounds;
  }

  /** Adds another tally; the only method that threads share. */
  public synchronized void add(Tally other) {
    other.faults.forEach((kind, n) -> faults.merge(kind, n, Long::sum));
    other.lines.forEach((line, n) -> lines.merge(line, n, Long::sum));
    seeds += other.seeds;
    events += other.events;
    rounds += other.rounds;
  }

  public long of(FaultKind kind) {
    return faults.getOrDefault(kind, 0L);
  }

  public long of(MatrixLine line) {
    return lines.getOrDefault(line, 0L);
  }

  public long seeds() {
    return seeds;
  }

  public double meanEvents() {
    return (double) events / Math.max(1, seeds);
  }

  public double meanFaults() {
    return (double) faults.values().stream().mapToLong(Long::longValue).sum() / Math.max(1, seeds);
  }

  /** All counts, for people. */
  public String report() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%d seeds, %.0f events, %.1f faults and %.1f rounds each%n"
            .formatted(seeds, meanEvents(), meanFaults(), (double) rounds / Math.max(1, seeds)));
    for (FaultKind kind : FaultKind.values()) {
      text.append("  fault  %9d  %s%n".formatted(of(kind), kind));
    }
    for (MatrixLine line : MatrixLine.values()) {
      text.append("  matrix %9d  %s: %s%n".formatted(of(line), line, line.text()));
    }
    return text.toString();
  }
}
