package io.tributary.loadtests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimesTest {
  @Test
  void aPercentileIsAMeasuredValue() {
    Times times = new Times(List.of(30.0, 10.0, 20.0, 40.0));

    assertThat(times.median()).isEqualTo(20);
    assertThat(times.percentile(0)).isEqualTo(10);
    assertThat(times.percentile(75)).isEqualTo(30);
    assertThat(times.percentile(99)).isEqualTo(40);
    assertThat(times.from(2, 9).median()).isEqualTo(20);
    assertThat(new Times(List.of()).median()).isNaN();
    assertThat(new Times(List.of()).json().toString()).isEqualTo("{\"count\":0}");
  }
}
