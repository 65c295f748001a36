package io.tributary.localstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A stack that another process holds up, seen through its folder. */
public final class AttachedStack {

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(90);

  private final StackFolder folder;
  private final StackFile file;

  private AttachedStack(StackFolder folder, StackFile file) {
    this.folder = folder;
    this.file = file;
  }

  static AttachedStack find(Path path) {
    return findRunning(path)
        .orElseThrow(
            () ->
                new LocalStackException(
                    "Cannot attach to a local stack in %s: expected one that runs, found none"
                        .formatted(path)));
  }

  /** The stack in this folder, when its supervisor lives and all its services have answered. */
  public static Optional<AttachedStack> findRunning(Path path) {
    StackFolder folder = new StackFolder(path.toAbsolutePath().normalize());
    return StackFile.read(folder.stackFile())
        .filter(file -> file.state() == StackFile.State.UP)
        .filter(file -> file.supervisor().isAlive())
        .map(file -> new AttachedStack(folder, file));
  }

  /** The stack in this folder, when its supervisor lives; its services may still be starting. */
  static Optional<AttachedStack> findSupervised(Path path) {
    StackFolder folder = new StackFolder(path.toAbsolutePath().normalize());
    return StackFile.read(folder.stackFile())
        .filter(file -> file.supervisor().isAlive())
        .map(file -> new AttachedStack(folder, file));
  }

  public StackEndpoints endpoints() {
    return file.endpoints();
  }

  public Path folder() {
    return folder.root();
  }

  public Path logs() {
    return folder.logs();
  }

  /** Number of the process that holds the stack up. */
  public long supervisorPid() {
    return file.supervisor().pid();
  }

  public List<String> processNames() {
    return file.processes();
  }

  public StackProcess process(String name) {
    if (!file.processes().contains(name)) {
      throw new IllegalArgumentException(
          "Cannot find a process of the local stack: expected one of %s, found %s"
              .formatted(file.processes(), name));
    }
    return new StackProcess(name, folder);
  }

  /** Whether the supervisor and all processes run. */
  public boolean isAlive() {
    return file.supervisor().isAlive()
        && file.processes().stream().allMatch(name -> process(name).isAlive());
  }

  /** Flink's own command line against this stack's cluster. */
  public FlinkCli flinkCli() {
    return new FlinkCli(endpoints().flink(), folder, false);
  }

  public FlinkRest flinkRest() {
    return new FlinkRest(endpoints().flink().webUi());
  }

  /** Asks the supervisor to end the stack and waits until all of it is gone. */
  public void stop() {
    file.supervisor().signal("TERM");
    long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
    while (file.supervisor().isAlive() || !LocalStack.leftovers(folder).isEmpty()) {
      if (System.nanoTime() > deadline) {
        throw new LocalStackException(
            "Cannot stop the local stack in %s: expected it gone within %d s, found %s"
                .formatted(folder.root(), STOP_TIMEOUT.toSeconds(), LocalStack.leftovers(folder)));
      }
      try {
        TimeUnit.MILLISECONDS.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LocalStackException("Cannot stop the local stack: interrupted", e);
      }
    }
  }
}
