package io.tributary.localstack;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps one service process up. The service hangs on a guard (a small shell script) that ends it
 * when this JVM is gone.
 *
 * <pre>
 * STOPPED --start--> RUNNING --stop--> STOPPED
 *                    RUNNING --ended by itself--> WAITING --after a pause--> RUNNING
 *                                                 WAITING --stop--> STOPPED
 * </pre>
 */
final class SupervisedProcess {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(300);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  // A service that ran this long is healthy: its next end counts as the first again.
  private static final Duration HEALTHY_AFTER = Duration.ofSeconds(30);
  private static final Duration READY_POLL = Duration.ofMillis(100);

  private static final int KILLED = 128 + 9;

  private enum State {
    STOPPED,
    RUNNING,
    WAITING
  }

  private final ServiceSpec spec;
  private final StackFolder folder;
  private final ScheduledExecutorService scheduler;
  private final Consumer<String> progress;

  private State state = State.STOPPED;
  private boolean restarts;
  private Process guard;
  private long launchedNanos;
  private Duration pause = FIRST_PAUSE;

  SupervisedProcess(
      ServiceSpec spec,
      StackFolder folder,
      ScheduledExecutorService scheduler,
      Consumer<String> progress) {
    this.spec = spec;
    this.folder = folder;
    this.scheduler = scheduler;
    this.progress = progress;
  }

  ServiceSpec spec() {
    return spec;
  }

  /** Starts the process; it is not started again when it ends before {@link #superviseNow()}. */
  synchronized void start() {
    if (state != State.STOPPED) {
      throw new LocalStackException(
          "Cannot start %s: expected it stopped, found it %s".formatted(spec.name(), state));
    }
    launch();
  }

  /** From now on the process is started again whenever it ends by itself. */
  synchronized void superviseNow() {
    restarts = true;
    if (state == State.RUNNING && !guard.isAlive()) {
      ended(guard);
    }
  }

  /** Waits until the service answers; throws with the tail of its log when it does not. */
  void awaitReady(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    Exception last = null;
    while (true) {
      try {
        if (spec.ready().call()) {
          return;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LocalStackException("Cannot start %s: interrupted".formatted(spec.name()), e);
      } catch (Exception e) {
        last = e;
      }
      synchronized (this) {
        if (state == State.STOPPED) {
          throw new LocalStackException(
              "Cannot start %s: stopped before it answered".formatted(spec.name()));
        }
        if (!restarts && !guard.isAlive()) {
          throw new LocalStackException(
              "Cannot start %s: expected it to stay up, found it ended with code %d%s"
                  .formatted(spec.name(), guard.exitValue(), StackFolder.tail(spec.logs())));
        }
      }
      if (System.nanoTime() > deadline) {
        throw new LocalStackException(
            "Cannot start %s: expected an answer within %d s, found %s%s"
                .formatted(
                    spec.name(),
                    timeout.toSeconds(),
                    last == null ? "none" : last,
                    StackFolder.tail(spec.logs())),
            last);
      }
      try {
        Thread.sleep(READY_POLL.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LocalStackException("Cannot start %s: interrupted".formatted(spec.name()), e);
      }
    }
  }

  /** Asks the process to end, kills it after its grace period, and waits until it is gone. */
  void stop() {
    Process running;
    synchronized (this) {
      state = State.STOPPED;
      running = guard;
      if (running == null) {
        return;
      }
      closeQuietly(running.getOutputStream());
    }
    Optional<ProcessIdentity> service = identity();
    try {
      if (!running.waitFor(spec.grace().toMillis() + 2_000, TimeUnit.MILLISECONDS)) {
        killGroup(running);
        running.waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      killGroup(running);
    }
    // Only when the guard itself was killed from outside is there anything left to do.
    service.ifPresent(this::endForSure);
    spec.archive()
        .ifPresent(archive -> archive.finish(!running.isAlive() && running.exitValue() != KILLED));
  }

  synchronized boolean isRunning() {
    return state == State.RUNNING && guard.isAlive();
  }

  /** The guard leads a group of its own: this ends it, its watcher and the service together. */
  private static void killGroup(Process guard) {
    ProcessIdentity.of(guard.pid())
        .filter(identity -> guard.isAlive())
        .ifPresent(identity -> identity.signalGroup("KILL"));
  }

  private void launch() {
    identity().ifPresent(this::endForSure);
    try {
      Files.createDirectories(spec.output().getParent());
      Files.createDirectories(spec.workingFolder());
      spec.archive().ifPresent(ClassArchive::prepare);
      List<String> command = new ArrayList<>();
      // A session of its own: the terminal's Ctrl-C reaches us alone, and we end the services.
      command.add("setsid");
      command.add("bash");
      command.add(guardScript(folder).toString());
      command.add(folder.pidFile(spec.name()).toString());
      command.add(spec.output().toString());
      command.add(Long.toString(spec.grace().toSeconds()));
      command.addAll(spec.command());
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(spec.workingFolder().toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(spec.output().toFile()));
      builder.environment().putAll(spec.environment());
      Process process = builder.start();
      guard = process;
      state = State.RUNNING;
      launchedNanos = System.nanoTime();
      process.onExit().thenAccept(this::ended);
    } catch (IOException e) {
      throw new LocalStackException("Cannot start " + spec.name(), e);
    }
  }

  private synchronized void ended(Process process) {
    if (process != guard || state != State.RUNNING || !restarts) {
      return;
    }
    closeQuietly(process.getOutputStream());
    if (System.nanoTime() - launchedNanos > HEALTHY_AFTER.toNanos()) {
      pause = FIRST_PAUSE;
    }
    state = State.WAITING;
    progress.accept(
        "%s ended with code %d; starting it again in %d ms"
            .formatted(spec.name(), process.exitValue(), pause.toMillis()));
    scheduler.schedule(this::startAgain, pause.toMillis(), TimeUnit.MILLISECONDS);
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
  }

  private synchronized void startAgain() {
    if (state != State.WAITING) {
      return;
    }
    try {
      launch();
    } catch (LocalStackException e) {
      progress.accept(e.getMessage() + ": " + e.getCause());
      scheduler.schedule(this::startAgain, pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private Optional<ProcessIdentity> identity() {
    return ProcessIdentity.read(folder.pidFile(spec.name())).filter(ProcessIdentity::isAlive);
  }

  private void endForSure(ProcessIdentity service) {
    service.signal("KILL");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (service.isAlive()) {
      if (System.nanoTime() > deadline) {
        throw new LocalStackException(
            "Cannot end %s: expected process %d to be gone after a kill, found it alive"
                .formatted(spec.name(), service.pid()));
      }
      Thread.onSpinWait();
    }
  }

  /** Unpacks the guard script once per start of a stack. */
  static void writeGuardScript(StackFolder folder) {
    try (InputStream script = SupervisedProcess.class.getResourceAsStream("guard.sh")) {
      StackFolder.write(
          guardScript(folder),
          new String(script.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new LocalStackException("Cannot write " + guardScript(folder), e);
    }
  }

  private static Path guardScript(StackFolder folder) {
    return folder.run().resolve("guard.sh");
  }

  private static void closeQuietly(OutputStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      // The guard is gone already: closed is closed.
    }
  }
}
