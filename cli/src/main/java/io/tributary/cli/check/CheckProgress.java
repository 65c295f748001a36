package io.tributary.cli.check;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** What is still being asked, told once a second when it takes longer than a few seconds. */
public final class CheckProgress {
  /** A quick check needs no words. */
  static final int QUIET_SECONDS = 3;

  private final Consumer<String> line;
  private final Set<String> open = new TreeSet<>();
  private int all;

  /**
   * @param line shows a line that the next one replaces
   */
  public CheckProgress(Consumer<String> line) {
    this.line = line;
  }

  synchronized void begin(Collection<String> systems) {
    open.addAll(systems);
    all = open.size();
  }

  synchronized void done(String system) {
    open.remove(system);
  }

  synchronized void tick(long seconds) {
    if (seconds >= QUIET_SECONDS && !open.isEmpty()) {
      line.accept(
          "%d of %d systems have answered; %d s; waiting for %s"
              .formatted(all - open.size(), all, seconds, String.join(", ", open)));
    }
  }
}
