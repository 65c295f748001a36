package io.tributary.localstack;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Starts a stack under a supervisor process of its own, which stays when this process ends. */
public final class DetachedStart {

  private DetachedStart() {}

  /**
   * Starts the stack in the configuration's folder and returns when every service answers.
   *
   * @param progress takes the supervisor's lines
   * @throws LocalStackException with the supervisor's last lines when it gives up; nothing is left
   *     running then
   */
  public static AttachedStack start(LocalStackConfig config, Consumer<String> progress) {
    StackFolder folder = new StackFolder(config.folder());
    folder.create();
    Path log = folder.root().resolve("supervisor.log");
    Process supervisor = null;
    Thread onInterrupt = null;
    boolean up = false;
    try {
      Files.deleteIfExists(log);
      supervisor = launch(config, log);
      Process launched = supervisor;
      // Ctrl-C before the stack is up ends it all; the supervisor itself does not hear it.
      onInterrupt = new Thread(() -> end(launched), "local-stack-detached-start");
      Runtime.getRuntime().addShutdownHook(onInterrupt);
      try (RandomAccessFile lines = new RandomAccessFile(log.toFile(), "r")) {
        while (true) {
          boolean ended = !supervisor.isAlive();
          relay(lines, progress);
          if (ended) {
            throw new LocalStackException(
                "Cannot start the local stack: expected its supervisor to stay up, found it ended with code %d%s"
                    .formatted(supervisor.exitValue(), StackFolder.tail(List.of(log))));
          }
          if (isUp(folder, supervisor.pid())) {
            relay(lines, progress);
            up = true;
            return AttachedStack.find(config.folder());
          }
          TimeUnit.MILLISECONDS.sleep(50);
        }
      }
    } catch (IOException e) {
      throw new LocalStackException("Cannot start the supervisor of the local stack", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException("Cannot start the local stack: interrupted", e);
    } finally {
      if (onInterrupt != null) {
        removeHook(onInterrupt);
      }
      if (!up && supervisor != null) {
        end(supervisor);
      }
    }
  }

  private static void end(Process supervisor) {
    supervisor.destroy();
    try {
      if (!supervisor.waitFor(60, TimeUnit.SECONDS)) {
        supervisor.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      supervisor.destroyForcibly();
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook runs.
    }
  }

  private static boolean isUp(StackFolder folder, long supervisorPid) {
    return StackFile.read(folder.stackFile())
        .filter(file -> file.state() == StackFile.State.UP)
        .filter(file -> file.supervisor().pid() == supervisorPid)
        .isPresent();
  }

  private static Process launch(LocalStackConfig config, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    // A session of its own: neither the terminal's end nor its Ctrl-C reaches the supervisor.
    command.add("setsid");
    command.addAll(
        new JavaCommand()
            .option("-Xmx256m")
            .option("-XX:+UseSerialGC")
            .quickStart()
            .option(
                "-D%s=%s".formatted(Installation.CHECKOUT_PROPERTY, Installation.find().checkout()))
            .classpath(System.getProperty("java.class.path"))
            .main(
                LocalStackMain.class.getName(),
                LocalStackMain.serveArguments(config).toArray(String[]::new)));
    return new ProcessBuilder(command)
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static void relay(RandomAccessFile lines, Consumer<String> progress) throws IOException {
    while (true) {
      long begin = lines.getFilePointer();
      String line = lines.readLine();
      if (line == null) {
        return;
      }
      if (lines.getFilePointer() == lines.length() && !endsWithNewline(lines)) {
        lines.seek(begin);
        return;
      }
      progress.accept(
          new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
    }
  }

  private static boolean endsWithNewline(RandomAccessFile lines) throws IOException {
    lines.seek(lines.getFilePointer() - 1);
    return lines.read() == '\n';
  }
}
