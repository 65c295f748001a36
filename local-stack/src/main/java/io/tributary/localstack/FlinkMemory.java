package io.tributary.localstack;

import java.util.List;
import java.util.Map;

/**
 * How the memory of a TaskManager is split. Flink's start script computes the same from one total;
 * written out, no extra JVM has to run before a TaskManager can.
 *
 * @param heapMb Java heap in MiB, the framework's share included
 */
record FlinkMemory(int heapMb) {

  private static final int FRAMEWORK_HEAP_MB = 128;
  private static final int FRAMEWORK_OFF_HEAP_MB = 128;
  private static final int TASK_OFF_HEAP_MB = 128;
  private static final int NETWORK_MB = 96;
  private static final int MANAGED_MB = 128;
  private static final int METASPACE_MB = 512;
  private static final int OVERHEAD_MB = 192;

  static FlinkMemory ofHeap(int heapMb) {
    return new FlinkMemory(heapMb);
  }

  /** Flink options that a TaskManager insists on. */
  Map<String, String> options(int slots) {
    return Map.ofEntries(
        Map.entry("taskmanager.cpu.cores", slots + ".0"),
        Map.entry("taskmanager.memory.framework.heap.size", FRAMEWORK_HEAP_MB + "m"),
        Map.entry("taskmanager.memory.framework.off-heap.size", FRAMEWORK_OFF_HEAP_MB + "m"),
        Map.entry("taskmanager.memory.task.heap.size", heapMb - FRAMEWORK_HEAP_MB + "m"),
        Map.entry("taskmanager.memory.task.off-heap.size", TASK_OFF_HEAP_MB + "m"),
        Map.entry("taskmanager.memory.network.min", NETWORK_MB + "m"),
        Map.entry("taskmanager.memory.network.max", NETWORK_MB + "m"),
        Map.entry("taskmanager.memory.managed.size", MANAGED_MB + "m"),
        Map.entry("taskmanager.memory.jvm-metaspace.size", METASPACE_MB + "m"),
        Map.entry("taskmanager.memory.jvm-overhead.min", OVERHEAD_MB + "m"),
        Map.entry("taskmanager.memory.jvm-overhead.max", OVERHEAD_MB + "m"));
  }

  List<String> javaOptions() {
    return List.of(
        "-Xmx" + heapMb + "m",
        "-XX:MaxDirectMemorySize=" + (FRAMEWORK_OFF_HEAP_MB + TASK_OFF_HEAP_MB + NETWORK_MB) + "m",
        "-XX:MaxMetaspaceSize=" + METASPACE_MB + "m");
  }
}
