package io.tributary.ingest.source;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** The counters of all jobs that have run in this process, as Flink hands them to a reporter. */
public final class RecordedCounters implements MetricReporter {
  private static final Map<String, List<Counter>> BY_NAME = new ConcurrentHashMap<>();

  /** Found by Flink. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new RecordedCounters();
    }
  }

  /** Lets a job's counters be recorded. */
  static void recordIn(Configuration configuration) {
    configuration.setString("metrics.reporter.recorded.factory.class", Factory.class.getName());
  }

  /** What all counters of a name have counted, since the process began. */
  static long sum(String name) {
    return BY_NAME.getOrDefault(name, List.of()).stream().mapToLong(Counter::getCount).sum();
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    if (metric instanceof Counter counter) {
      BY_NAME.computeIfAbsent(name, any -> new CopyOnWriteArrayList<>()).add(counter);
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    // What was counted stays.
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}
}
