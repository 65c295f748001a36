package io.tributary.loadtests.bench;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * How many rows have reached the operators of jobs in this process, by Flink's own counters: no
 * side has an operator more for it.
 */
public final class OperatorRows implements MetricReporter {
  private static final String IN = "numRecordsIn";
  private static final Map<Key, List<Counter>> COUNTERS = new ConcurrentHashMap<>();

  private record Key(String job, String operator) {}

  /** Found by Flink. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new OperatorRows();
    }
  }

  /** A cluster's configuration that makes it report here. */
  static Configuration reporting() {
    Configuration configuration = new Configuration();
    configuration.setString("metrics.reporter.rows.factory.class", Factory.class.getName());
    return configuration;
  }

  /** Rows that the subtasks of an operator have taken so far; 0 before the job runs. */
  static long of(JobID job, String operator) {
    return COUNTERS.getOrDefault(new Key(job.toString(), operator), List.of()).stream()
        .mapToLong(Counter::getCount)
        .sum();
  }

  @Override
  public void open(MetricConfig config) {
    // Whoever wants to know asks.
  }

  @Override
  public void close() {
    COUNTERS.clear();
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    if (name.equals(IN) && metric instanceof Counter counter) {
      Map<String, String> variables = group.getAllVariables();
      String job = variables.get("<job_id>");
      String operator = variables.get("<operator_name>");
      if (job != null && operator != null) {
        COUNTERS
            .computeIfAbsent(new Key(job, operator), any -> new CopyOnWriteArrayList<>())
            .add(counter);
      }
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
    if (name.equals(IN)) {
      COUNTERS.values().forEach(counters -> counters.remove(metric));
    }
  }
}
