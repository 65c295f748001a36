package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process of a {@link SelfSignallingCoordinator}. */
final class ChildCoordinator implements AutoCloseable {
  private static final int KILLED = 128 + 9;

  private final Process process;
  private final Path output;

  private ChildCoordinator(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * @param signal STOP or KILL
   */
  static ChildCoordinator start(
      LoopSetup setup,
      Duration transactionTimeout,
      SelfSignallingCoordinator.Moment moment,
      String signal) {
    try {
      Path output = Files.createTempFile("child-coordinator-", ".log");
      Process process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:TieredStopAtLevel=1",
                      "-XX:+UseSerialGC",
                      "-Xmx256m",
                      "-cp",
                      System.getProperty("java.class.path"),
                      SelfSignallingCoordinator.class.getName(),
                      setup.table().value(),
                      setup.metastoreUri(),
                      setup.warehouse(),
                      setup.kafka().get("bootstrap.servers"),
                      Long.toString(transactionTimeout.toMillis()),
                      moment.name(),
                      signal))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      // A process that has stopped itself would otherwise be left behind by an interrupted run.
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      return new ChildCoordinator(process, output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ChildCoordinator start(
      LoopSetup setup, SelfSignallingCoordinator.Moment moment, String signal) {
    return start(setup, Duration.ofSeconds(60), moment, signal);
  }

  /** Waits until it has stopped itself: nothing in it runs. */
  void awaitStopped() {
    await()
        .atMost(LoopBench.PATIENCE)
        .until(
            () -> {
              assertThat(process.isAlive()).as(output()).isTrue();
              return state().equals("T");
            });
  }

  private String state() throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[0];
  }

  void resume() {
    try {
      int code = new ProcessBuilder("bash", "-c", "kill -CONT " + process.pid()).start().waitFor();
      assertThat(code).isZero();
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Kills it from outside. */
  void kill() {
    process.destroyForcibly();
    awaitKilled();
  }

  /** Waits until it is dead by a kill. */
  void awaitKilled() {
    assertThat(awaitExit()).as(output()).isEqualTo(KILLED);
  }

  /** Waits until its loop has ended. */
  void awaitEnd(CoordinatorLoop.End end) {
    assertThat(awaitExit()).as(output()).isZero();
    assertThat(output()).contains("ended " + end);
  }

  private int awaitExit() {
    try {
      assertThat(process.waitFor(LoopBench.PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as(output())
          .isTrue();
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What it has printed so far, its log included. */
  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The line behind the moment that begins with this, as {@code Claim: SwapAnswered[..]}. */
  String answerAfterTheMoment(String action) {
    return output()
        .lines()
        .dropWhile(line -> !line.startsWith("reached "))
        .filter(line -> line.startsWith(action + ": "))
        .findFirst()
        .orElseThrow(() -> new AssertionError(output()));
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
      Files.deleteIfExists(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
