package io.tributary.localstack;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps one service process up.
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
  private static final Duration READY_POLL = Duration.ofMillis(200);
  private static final Duration LIVENESS_POLL = Duration.ofSeconds(2);

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
  private boolean watched;
  private GuardedProcess process;
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
    if (spec.mostSilence().isPresent() && !watched) {
      watched = true;
      Thread thread = new Thread(() -> watch(spec.mostSilence().get()), "liveness-" + spec.name());
      thread.setDaemon(true);
      thread.start();
    }
    if (state == State.RUNNING && !process.isAlive()) {
      ended(process);
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
        throw interrupted(e);
      } catch (Exception e) {
        last = e;
      }
      failIfEnded();
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
        throw interrupted(e);
      }
    }
  }

  /** Asks the process to end, kills it after its grace period, and waits until it is gone. */
  void stop() {
    GuardedProcess running;
    synchronized (this) {
      state = State.STOPPED;
      running = process;
    }
    if (running != null) {
      running.stop();
      // A killed JVM may have left half an archive.
      spec.archive().ifPresent(archive -> archive.finish(running.endedInOrder()));
    }
  }

  synchronized boolean isRunning() {
    return state == State.RUNNING && process.isAlive();
  }

  /** A process that lives and does nothing any more is ended; what ends is started again. */
  private void watch(Duration mostSilence) {
    long lastAnswer = System.nanoTime();
    GuardedProcess watched = null;
    while (!scheduler.isShutdown()) {
      try {
        TimeUnit.MILLISECONDS.sleep(LIVENESS_POLL.toMillis());
      } catch (InterruptedException e) {
        return;
      }
      GuardedProcess running = runningProcess();
      if (running == null || running != watched || answers()) {
        // The silence of one that has ended is not held against its successor.
        watched = running;
        lastAnswer = System.nanoTime();
      } else if (System.nanoTime() - lastAnswer > mostSilence.toNanos()) {
        killIfStill(running, mostSilence);
        lastAnswer = System.nanoTime();
      }
    }
  }

  private synchronized GuardedProcess runningProcess() {
    return isRunning() ? process : null;
  }

  private synchronized void killIfStill(GuardedProcess silent, Duration mostSilence) {
    if (isRunning() && process == silent) {
      progress.accept(
          "%s has not answered for %d s; killing it"
              .formatted(spec.name(), mostSilence.toSeconds()));
      ProcessIdentity.read(folder.pidFile(spec.name()))
          .ifPresent(running -> running.signal("KILL"));
    }
  }

  private boolean answers() {
    try {
      return spec.ready().call();
    } catch (Exception e) {
      return false;
    }
  }

  private synchronized void failIfEnded() {
    if (state == State.STOPPED) {
      throw new LocalStackException(
          "Cannot start %s: stopped before it answered".formatted(spec.name()));
    }
    if (!restarts && !process.isAlive()) {
      throw new LocalStackException(
          "Cannot start %s: expected it to stay up, found it ended with code %d%s"
              .formatted(spec.name(), process.exitValue(), StackFolder.tail(spec.logs())));
    }
  }

  private void launch() {
    ProcessIdentity.read(folder.pidFile(spec.name()))
        .filter(ProcessIdentity::isAlive)
        .ifPresent(GuardedProcess::endForSure);
    spec.archive().ifPresent(ClassArchive::prepare);
    process =
        GuardedProcess.start(
            folder,
            spec.name(),
            spec.command(),
            spec.environment(),
            spec.workingFolder(),
            spec.output(),
            spec.grace());
    state = State.RUNNING;
    launchedNanos = System.nanoTime();
    process.onExit().thenAccept(this::ended);
  }

  private synchronized void ended(GuardedProcess ended) {
    if (ended != process || state != State.RUNNING || !restarts) {
      return;
    }
    ended.closePipe();
    if (System.nanoTime() - launchedNanos > HEALTHY_AFTER.toNanos()) {
      pause = FIRST_PAUSE;
    }
    state = State.WAITING;
    progress.accept(
        "%s ended with code %d; starting it again in %d ms"
            .formatted(spec.name(), ended.exitValue(), pause.toMillis()));
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

  private LocalStackException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new LocalStackException("Cannot start %s: interrupted".formatted(spec.name()), e);
  }
}
