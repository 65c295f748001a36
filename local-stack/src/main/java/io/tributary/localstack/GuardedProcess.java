package io.tributary.localstack;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process that cannot outlive this JVM: a small shell script holds it, reads a pipe from us, and
 * ends it, with all that it started, when the pipe ends.
 */
final class GuardedProcess {

  private static final String SCRIPT = "guard.sh";
  private static final Duration MARGIN = Duration.ofSeconds(2);
  private static final Duration GONE_TIMEOUT = Duration.ofSeconds(30);
  private static final int KILLED = 128 + 9;

  private final Process guard;
  private final Path pidFile;
  private final Duration grace;

  private GuardedProcess(Process guard, Path pidFile, Duration grace) {
    this.guard = guard;
    this.pidFile = pidFile;
    this.grace = grace;
  }

  /**
   * Starts a command.
   *
   * @param folder where the process number is kept while it runs
   * @param name names the file with the process number
   * @param output standard output and error are appended to it
   * @param grace time between the request to end and the kill; whole seconds
   */
  static GuardedProcess start(
      StackFolder folder,
      String name,
      List<String> command,
      Map<String, String> environment,
      Path workingFolder,
      Path output,
      Duration grace) {
    try {
      Files.createDirectories(output.getParent());
      Files.createDirectories(workingFolder);
      Files.createDirectories(folder.run());
      Path script = folder.run().resolve(SCRIPT);
      if (!Files.exists(script)) {
        writeScript(folder);
      }
      Path pidFile = folder.pidFile(name);
      List<String> guarded = new ArrayList<>();
      // A session of its own: the terminal's Ctrl-C reaches us alone, and we end the services.
      guarded.addAll(List.of("setsid", "bash", script.toString(), pidFile.toString()));
      guarded.addAll(List.of(output.toString(), Long.toString(grace.toSeconds())));
      guarded.addAll(command);
      ProcessBuilder builder =
          new ProcessBuilder(guarded)
              .directory(workingFolder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
      builder.environment().putAll(environment);
      return new GuardedProcess(builder.start(), pidFile, grace);
    } catch (IOException e) {
      throw new LocalStackException("Cannot start " + name, e);
    }
  }

  /** Writes the script of this version; done once per start of a stack. */
  static void writeScript(StackFolder folder) {
    try (InputStream script = GuardedProcess.class.getResourceAsStream(SCRIPT)) {
      StackFolder.write(
          folder.run().resolve(SCRIPT), new String(script.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new LocalStackException("Cannot write " + SCRIPT, e);
    }
  }

  boolean isAlive() {
    return guard.isAlive();
  }

  /** Exit code of the ended process; 128 + n when signal n ended it. */
  int exitValue() {
    return guard.exitValue();
  }

  /** Whether the process ended, and not by a kill. */
  boolean endedInOrder() {
    return !guard.isAlive() && guard.exitValue() != KILLED;
  }

  CompletableFuture<GuardedProcess> onExit() {
    return guard.onExit().thenApply(ended -> this);
  }

  /**
   * Waits for the end of a command that ends by itself, and ends it when that takes too long or
   * this thread is interrupted.
   *
   * @return whether it ended by itself
   */
  boolean await(Duration timeout) throws InterruptedException {
    boolean ended = false;
    try {
      ended = guard.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      if (!ended) {
        stop();
      }
    }
    return ended;
  }

  /** Asks the process to end, kills it after its grace period, and waits until it is gone. */
  void stop() {
    closePipe();
    Optional<ProcessIdentity> service =
        ProcessIdentity.read(pidFile).filter(ProcessIdentity::isAlive);
    boolean interrupted = false;
    try {
      if (!guard.waitFor(grace.plus(MARGIN).toMillis(), TimeUnit.MILLISECONDS)) {
        killGroup();
      }
    } catch (InterruptedException e) {
      interrupted = true;
      killGroup();
    }
    // Only when the guard itself was killed from outside is there anything left to do.
    service.ifPresent(GuardedProcess::endForSure);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the guard end what may be left of its process. */
  void closePipe() {
    try {
      guard.getOutputStream().close();
    } catch (IOException e) {
      // The guard is gone already: closed is closed.
    }
  }

  static void endForSure(ProcessIdentity process) {
    process.signal("KILL");
    long deadline = System.nanoTime() + GONE_TIMEOUT.toNanos();
    boolean interrupted = false;
    while (process.isAlive()) {
      if (System.nanoTime() > deadline) {
        throw new LocalStackException(
            "Cannot end process %d: expected it gone after a kill, found it alive"
                .formatted(process.pid()));
      }
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The guard leads a group of its own: this ends it, its watcher and the service together. */
  private void killGroup() {
    ProcessIdentity.of(guard.pid())
        .filter(identity -> guard.isAlive())
        .ifPresent(identity -> identity.signalGroup("KILL"));
  }
}
