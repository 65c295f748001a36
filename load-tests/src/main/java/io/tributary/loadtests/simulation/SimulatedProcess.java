package io.tributary.loadtests.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a process of any kind has done to it: it is killed for good, or stopped, and then does all
 * that was due in the meantime when it wakes.
 */
abstract class SimulatedProcess {
  final World world;
  private final Deque<Runnable> whileStopped = new ArrayDeque<>();
  private boolean dead;
  private boolean stopped;

  SimulatedProcess(World world) {
    this.world = world;
  }

  /** Whether it came to its end by itself. */
  abstract boolean hasEnded();

  final boolean isDead() {
    return dead;
  }

  final boolean isAlive() {
    return !dead && !hasEnded();
  }

  final boolean isStopped() {
    return stopped;
  }

  final void kill() {
    world.timeline.note(() -> this + " is killed");
    dead = true;
  }

  final void stop() {
    world.timeline.note(() -> this + " is stopped");
    stopped = true;
  }

  final void wake() {
    world.timeline.note(() -> this + " wakes");
    stopped = false;
    while (!stopped && !whileStopped.isEmpty()) {
      whileStopped.remove().run();
    }
  }

  final void later(long delay, String what, Runnable action) {
    world.timeline.after(delay, this, what, () -> run(action));
  }

  private void run(Runnable action) {
    if (!isAlive()) {
      return;
    }
    if (stopped) {
      whileStopped.add(() -> run(action));
      return;
    }
    action.run();
  }
}
