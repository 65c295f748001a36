package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.Alarm;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the core raises is counted, told with its cure, logged once, and documented. */
class AlarmVisibilityTest {
  private static final TableName TABLE = new TableName("shop.orders");
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  /** A metric group that keeps what is registered, by its whole name. */
  private static final class Registered extends UnregisteredMetricsGroup {
    private final Map<String, Metric> metrics;
    private final String prefix;

    Registered(Map<String, Metric> metrics, String prefix) {
      this.metrics = metrics;
      this.prefix = prefix;
    }

    @Override
    public Counter counter(String name) {
      Counter counter = super.counter(name);
      metrics.put(prefix + name, counter);
      return counter;
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      metrics.put(prefix + name, gauge);
      return gauge;
    }

    @Override
    public MetricGroup addGroup(String name) {
      return new Registered(metrics, prefix + name + ".");
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new Registered(metrics, prefix + key + "." + value + ".");
    }
  }

  private static Alarm alarm(Alarm.Code code, String text) {
    return new Alarm(code, TABLE, Optional.of(new GroupName("a")), text);
  }

  @ParameterizedTest
  @EnumSource(Alarm.Code.class)
  void isCountedAndToldWithItsText(Alarm.Code code) {
    Map<String, Metric> metrics = new TreeMap<>();
    LoopMetrics of =
        new LoopMetrics(new Registered(metrics, ""), TABLE, Clock.fixed(NOW, ZoneOffset.UTC));
    String name = "table.shop.orders.alarm." + code;
    assertThat(((Gauge<?>) metrics.get(name + ".last")).getValue()).isEqualTo("");

    of.raised(alarm(code, "Cannot do it; cure: do it again"));
    of.raised(alarm(code, "Cannot do it again"));

    assertThat(((Counter) metrics.get(name + ".raised")).getCount()).isEqualTo(2);
    assertThat(((Gauge<?>) metrics.get(name + ".last")).getValue())
        .isEqualTo("2030-01-01T00:00:00Z Cannot do it again");
  }

  @ParameterizedTest
  @EnumSource(Alarm.Code.class)
  void isLoggedOnceForAsLongAsItIsTheSame(Alarm.Code code) {
    RaisedAlarms said = new RaisedAlarms();
    assertThat(said.raise(alarm(code, "first"))).isTrue();
    assertThat(said.raise(alarm(code, "first"))).isFalse();
    assertThat(said.raise(new Alarm(code, TABLE, Optional.empty(), "first"))).isTrue();
    assertThat(said.raise(alarm(code, "second"))).isTrue();
    said.over(code);
    assertThat(said.raise(alarm(code, "second"))).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Alarm.Code.class)
  void isDocumentedWithItsCure(Alarm.Code code) throws IOException {
    assertThat(Files.readAllLines(Path.of("../docs/operations.md")))
        .filteredOn(line -> line.contains("| `" + code + "` |"))
        .singleElement()
        .satisfies(line -> assertThat(line.split("\\|")).hasSize(5));
  }

  @Test
  void nothingElseIsDocumented() throws IOException {
    assertThat(Files.readAllLines(Path.of("../docs/operations.md")))
        .filteredOn(line -> line.matches("\\|[^|]*\\| `[A-Z_]+` \\|.*"))
        .hasSize(Alarm.Code.values().length);
  }
}
