package io.tributary.loadtests.watermark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Processor time of this process's threads, by what they do. */
final class ThreadTimes {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Map<Long, Long> before = new HashMap<>();

  /**
   * Nanoseconds since the call before, of threads that still run, by kind.
   *
   * @return of all their time at the first call
   */
  Map<String, Long> since() {
    Map<String, Long> kinds = new TreeMap<>();
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread == null) {
        continue;
      }
      long now = threads.getThreadCpuTime(thread.getThreadId());
      if (now >= 0) {
        Long last = before.put(thread.getThreadId(), now);
        kinds.merge(kind(thread.getThreadName()), now - (last == null ? 0 : last), Long::sum);
      }
    }
    return kinds;
  }

  /** What a thread of this name does. */
  static String kind(String name) {
    if (name.startsWith("position-probe-")) {
      return "probes";
    }
    if (name.startsWith("Source Data Fetcher")) {
      return "fetchers";
    }
    if (name.startsWith("blc-") || name.startsWith("debezium-") || name.startsWith("binlog-")) {
      return "binlogReaders";
    }
    if (name.startsWith("Source: ")) {
      return "sourceTasks";
    }
    return "rest";
  }
}
