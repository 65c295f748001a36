package io.tributary.loadtests.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code bin/tributary} in a session of its own, as a terminal starts it: its process group is what
 * Ctrl-C reaches. Both its outputs go to one file.
 */
final class CommandLine implements AutoCloseable {
  private final Process process;
  private final Path output;

  private CommandLine(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static CommandLine start(Path output, List<String> arguments) throws IOException {
    Files.createDirectories(output.toAbsolutePath().getParent());
    List<String> command = new ArrayList<>();
    // Not a group leader yet: setsid becomes the program itself, with the same number. A build in
    // the background ignores SIGINT, and so would all its children.
    command.addAll(List.of("setsid", "env", "--default-signal=INT"));
    command.add(checkout().resolve("bin/tributary").toString());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    // This very build has just made all that it needs.
    builder.environment().put("TRIBUTARY_SKIP_BUILD", "true");
    return new CommandLine(builder.start(), output);
  }

  static Path checkout() {
    return Path.of("").toAbsolutePath().getParent();
  }

  /** What it has printed so far. */
  String output() throws IOException {
    return Files.readString(output);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What Ctrl-C does: SIGINT to every process of the foreground group. */
  void interrupt() throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-INT", "--", "-" + process.pid())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException("kill ended with " + code);
    }
  }

  /**
   * Waits for its end.
   *
   * @return its exit code
   */
  int await(long minutes) throws IOException, InterruptedException {
    if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
      throw new AssertionError(
          "bin/tributary still runs after %d min:%n%s".formatted(minutes, output()));
    }
    return process.exitValue();
  }

  @Override
  public void close() throws Exception {
    if (process.isAlive()) {
      interrupt();
      if (!process.waitFor(2, TimeUnit.MINUTES)) {
        process.destroyForcibly();
      }
    }
  }
}
