package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.iceberg.IcebergBuild;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * What a benchmark ran on.
 *
 * @param cpu the processor's name, "unknown" where the system does not tell
 * @param processors that this process may use
 * @param memoryMiB of the machine, 0 where the system does not tell
 * @param heapMiB the most that this process's Java heap may take
 */
record Machine(String cpu, int processors, long memoryMiB, String system, long heapMiB) {
  static Machine ofThis() {
    return new Machine(
        field("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        memory(field("/proc/meminfo", "MemTotal")),
        "%s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version")),
        Runtime.getRuntime().maxMemory() >> 20);
  }

  /** Processes that wanted to run, over the last minute; below 0 where the system does not tell. */
  static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static String field(String file, String name) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static long memory(String kibibytes) {
    String digits = kibibytes.replaceAll("\\D", "");
    return digits.isEmpty() ? 0 : Long.parseLong(digits) >> 10;
  }

  ObjectNode json() {
    return Json.object()
        .put("cpu", cpu)
        .put("processors", processors)
        .put("memoryMiB", memoryMiB)
        .put("system", system)
        .put("heapLimitMiB", heapMiB);
  }

  static ObjectNode versions() {
    return Json.object()
        .put("java", Runtime.version().toString())
        .put("iceberg", IcebergBuild.version())
        .put("kafkaClient", AppInfoParser.getVersion());
  }

  @Override
  public String toString() {
    return "%s, %d processors, %,d MiB, %s, Java %s, heap at most %,d MiB, Iceberg %s"
        .formatted(
            cpu, processors, memoryMiB, system, Runtime.version(), heapMiB, IcebergBuild.version());
  }
}
