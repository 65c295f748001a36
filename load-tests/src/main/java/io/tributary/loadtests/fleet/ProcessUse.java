package io.tributary.loadtests.fleet;

import io.tributary.localstack.LocalStack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a process has used so far.
 *
 * @param processor time of all its threads since it began
 * @param residentKiB memory that it holds right now, shared libraries included
 */
record ProcessUse(Duration processor, long residentKiB) {
  /** Of each process of a stack, by name. */
  static Map<String, ProcessUse> of(LocalStack stack) {
    Map<String, ProcessUse> found = new TreeMap<>();
    for (String name : stack.processNames()) {
      found.put(name, of(stack.process(name).pid()));
    }
    return found;
  }

  private static ProcessUse of(long pid) {
    Duration processor =
        ProcessHandle.of(pid)
            .flatMap(handle -> handle.info().totalCpuDuration())
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "Cannot tell what process %d uses: expected it to run".formatted(pid)));
    return new ProcessUse(processor, resident(Path.of("/proc", Long.toString(pid), "status")));
  }

  private static long resident(Path status) {
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> line.replaceAll("\\D", ""))
          .mapToLong(Long::parseLong)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
