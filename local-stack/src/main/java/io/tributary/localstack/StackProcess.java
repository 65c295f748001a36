package io.tributary.localstack;

import java.util.Optional;

/**
 * One process of a stack, as seen by any process on this machine through its pid file. Signals go
 * only to the very process that the stack started, never to a later one with the same number.
 */
public final class StackProcess {

  private final String name;
  private final StackFolder folder;

  StackProcess(String name, StackFolder folder) {
    this.name = name;
    this.folder = folder;
  }

  public String name() {
    return name;
  }

  /** Whether it runs right now; a paused process runs. */
  public boolean isAlive() {
    return identity().isPresent();
  }

  /**
   * Number of the process.
   *
   * @throws LocalStackException when it does not run
   */
  public long pid() {
    return running().pid();
  }

  /** Ends it at once, as a power cut would; the supervisor starts it again. */
  public void kill9() {
    signal("KILL");
  }

  /** Halts it until {@link #resume()}; its connections stay open, nothing answers. */
  public void pause() {
    signal("STOP");
  }

  public void resume() {
    signal("CONT");
  }

  private void signal(String signal) {
    if (!running().signal(signal)) {
      throw new LocalStackException(
          "Cannot send %s to %s: expected it to run, found it ended".formatted(signal, name));
    }
  }

  private ProcessIdentity running() {
    return identity()
        .orElseThrow(
            () ->
                new LocalStackException(
                    "Cannot reach %s: expected it to run, found no process in %s"
                        .formatted(name, folder.pidFile(name))));
  }

  private Optional<ProcessIdentity> identity() {
    return ProcessIdentity.read(folder.pidFile(name)).filter(ProcessIdentity::isAlive);
  }

  @Override
  public String toString() {
    return name + identity().map(id -> " (pid " + id.pid() + ")").orElse(" (not running)");
  }
}
