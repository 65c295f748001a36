package io.tributary.loadtests.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs {@code bin/tributary} as an operator does.
 *
 * @param place arguments of every verb that say where the registry and the cluster are
 * @param outputs folder for what each prints
 */
record Verb(List<String> place, Path outputs) {
  private static final long PATIENCE_MINUTES = 30;

  Verb {
    place = List.copyOf(place);
  }

  /**
   * One that ended.
   *
   * @param text what it printed to standard output
   * @param took from its start to its end
   */
  record Output(String text, Duration took) {}

  /**
   * Runs it to its end.
   *
   * @throws IllegalStateException with what it said, when it exits with anything but 0
   */
  Output run(String... arguments) throws IOException, InterruptedException {
    Path out = outputs.resolve("out.txt");
    Path err = outputs.resolve("err.txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("tributary.checkout"), "bin", "tributary").toString());
    command.addAll(List.of(arguments));
    command.addAll(place);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    // Whoever runs this has built it.
    builder.environment().put("TRIBUTARY_SKIP_BUILD", "true");
    long begin = System.nanoTime();
    Process process = builder.start();
    try {
      if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
        throw failed(arguments, "no end", out, err);
      }
    } finally {
      process.destroy();
    }
    if (process.exitValue() != 0) {
      throw failed(arguments, "exit code " + process.exitValue(), out, err);
    }
    return new Output(Files.readString(out), Duration.ofNanos(System.nanoTime() - begin));
  }

  private static IllegalStateException failed(String[] arguments, String found, Path out, Path err)
      throws IOException {
    return new IllegalStateException(
        "Cannot go on: expected 'tributary %s' to succeed, found %s:%n%s%s"
            .formatted(
                String.join(" ", arguments), found, Files.readString(err), Files.readString(out)));
  }
}
