package io.tributary.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What happens on Ctrl-C to a verb that has started processes: the verb's own thread cleans up as
 * after any failure, and this process waits for it and for everything it had started.
 */
public final class Interruption {
  private static final Duration CLEAN_UP = Duration.ofSeconds(90);

  private Interruption() {}

  /**
   * Does something that is ended in order when the process is told to end.
   *
   * @param terminal both are silent after the interruption
   * @param screen may be the same one
   */
  public static <T> T guarded(Terminal terminal, Terminal screen, Callable<T> work)
      throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook =
        new Thread(cleanUp(Thread.currentThread(), ended, terminal, screen), "interruption");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return work.call();
    } finally {
      ended.countDown();
      removeHook(hook);
    }
  }

  private static Runnable cleanUp(
      Thread worker, CountDownLatch ended, Terminal terminal, Terminal screen) {
    return () -> {
      terminal.note("");
      terminal.note("Interrupted: stopping everything that was started");
      terminal.silence();
      screen.silence();
      worker.interrupt();
      long deadline = System.nanoTime() + CLEAN_UP.toNanos();
      try {
        ended.await(CLEAN_UP.toSeconds(), TimeUnit.SECONDS);
        while (ProcessHandle.current().descendants().findAny().isPresent()
            && System.nanoTime() < deadline) {
          TimeUnit.MILLISECONDS.sleep(50);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    };
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook runs: it is waiting for us.
      return;
    }
  }
}
