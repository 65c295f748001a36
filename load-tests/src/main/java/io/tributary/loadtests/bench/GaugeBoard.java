package io.tributary.loadtests.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A table's own metrics, by their names, to be read while its coordinator works. */
final class GaugeBoard extends UnregisteredMetricsGroup {
  private final Map<String, Gauge<?>> gauges = new ConcurrentHashMap<>();
  private final Map<String, Counter> counters = new ConcurrentHashMap<>();

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    gauges.put(name, gauge);
    return gauge;
  }

  @Override
  public Counter counter(String name) {
    return counters.computeIfAbsent(name, unused -> super.counter(name));
  }

  /** The table's group is this one; those below it, of groups and shards, are none of ours. */
  @Override
  public MetricGroup addGroup(String key, String value) {
    return key.equals("table") ? this : new UnregisteredMetricsGroup();
  }

  String text(String gauge) {
    return String.valueOf(gauges.get(gauge).getValue());
  }

  long number(String gauge) {
    return Long.parseLong(text(gauge));
  }

  long count(String counter) {
    return counters.get(counter).getCount();
  }
}
