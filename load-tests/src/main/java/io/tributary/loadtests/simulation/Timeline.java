package io.tributary.loadtests.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/** The one queue of events, by simulated time; ties go by the order of scheduling. */
final class Timeline {
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

  private record Entry(long at, long order, Object who, String what, Runnable action)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Entry> queue = new PriorityQueue<>();
  private final boolean tracing;
  private final List<String> trace = new ArrayList<>();
  private long now;
  private long order;
  private long events;

  Timeline(boolean tracing) {
    this.tracing = tracing;
  }

  /** Milliseconds since the simulation began. */
  long now() {
    return now;
  }

  Instant instant() {
    return instantOf(now);
  }

  static Instant instantOf(long millis) {
    return BEGIN.plusMillis(millis);
  }

  static long millisOf(Instant instant) {
    return instant.toEpochMilli() - BEGIN.toEpochMilli();
  }

  long events() {
    return events;
  }

  /**
   * @param who acts, for the trace
   */
  void after(long delay, Object who, String what, Runnable action) {
    queue.add(new Entry(now + delay, order++, who, what, action));
  }

  /** Runs the next event. */
  void step() {
    Entry next = queue.remove();
    now = next.at;
    events++;
    if (tracing) {
      note(() -> "- " + next.who + " " + next.what);
    }
    next.action.run();
  }

  void note(Supplier<String> text) {
    if (tracing) {
      trace.add("%8.3f %s".formatted(now / 1000.0, text.get()));
    }
  }

  List<String> trace() {
    return List.copyOf(trace);
  }
}
