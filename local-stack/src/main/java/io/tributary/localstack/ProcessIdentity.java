package io.tributary.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process, told apart from a later one with the same number by its start time.
 *
 * @param pid number of the process, positive
 * @param startTicks start time in clock ticks since boot, as in field 22 of {@code /proc/PID/stat}
 */
record ProcessIdentity(long pid, long startTicks) {

  /** Position of the start time behind the process name, which itself may hold blanks. */
  private static final int START_FIELD = 19;

  ProcessIdentity {
    if (pid <= 0) {
      throw new IllegalArgumentException(
          "Cannot identify a process: expected a positive number, found " + pid);
    }
  }

  static ProcessIdentity ofThisJvm() {
    long pid = ProcessHandle.current().pid();
    return of(pid)
        .orElseThrow(
            () -> new LocalStackException("Cannot identify this JVM: found no /proc/" + pid));
  }

  static Optional<ProcessIdentity> of(long pid) {
    return stat(pid).map(fields -> new ProcessIdentity(pid, Long.parseLong(fields[START_FIELD])));
  }

  /** Reads a file that holds the number and the start time; empty when there is no such file. */
  static Optional<ProcessIdentity> read(Path file) {
    try {
      String[] words = Files.readString(file).trim().split(" ");
      if (words.length != 2) {
        throw new LocalStackException(
            "Cannot read %s: expected a process number and a start time, found %d words"
                .formatted(file, words.length));
      }
      return Optional.of(new ProcessIdentity(Long.parseLong(words[0]), Long.parseLong(words[1])));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether this very process still runs; a dead one that nobody reaped yet does not. */
  boolean isAlive() {
    return stat(pid)
        .filter(fields -> Long.parseLong(fields[START_FIELD]) == startTicks)
        .filter(fields -> !fields[0].equals("Z") && !fields[0].equals("X"))
        .isPresent();
  }

  /**
   * Sends a signal, unless the process is gone.
   *
   * @return whether the process was there
   */
  boolean signal(String name) {
    return signal(name, Long.toString(pid));
  }

  /**
   * Sends a signal to all processes of the group that this one leads, unless it is gone.
   *
   * @return whether the process was there
   */
  boolean signalGroup(String name) {
    return signal(name, "-" + pid);
  }

  private boolean signal(String name, String target) {
    if (!isAlive()) {
      return false;
    }
    try {
      // The shell's own kill: needs no package beyond the shell.
      Process kill =
          new ProcessBuilder("bash", "-c", "kill -\"$0\" -- \"$1\"", name, target)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return kill.waitFor() == 0;
    } catch (IOException e) {
      throw new LocalStackException("Cannot send %s to process %d".formatted(name, pid), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException("Cannot send %s to process %d".formatted(name, pid), e);
    }
  }

  private static Optional<String[]> stat(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return Optional.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
