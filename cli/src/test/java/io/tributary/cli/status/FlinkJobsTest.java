package io.tributary.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FlinkJobsTest {
  @Test
  void aMessageOfOursIsShownAloneAndBeforeDeeperCauses() {
    assertThat(
            FlinkJobs.rootCause(
                """
                org.apache.flink.client.program.ProgramInvocationException: The main method failed
                Caused by: java.lang.IllegalStateException: Cannot start group west: expected X, found Y
                Caused by: java.net.ConnectException: refused
                """))
        .isEqualTo("Cannot start group west: expected X, found Y");
  }

  @Test
  void theInnermostCauseIsTheOneToShow() {
    assertThat(
            FlinkJobs.rootCause(
                """
                org.apache.flink.runtime.JobException: Recovery is suppressed
                \tat org.apache.flink.A.b(A.java:1)
                Caused by: java.lang.RuntimeException: outer
                \tat c
                Caused by: java.sql.SQLException: Access denied
                \tat d
                """))
        .isEqualTo("java.sql.SQLException: Access denied");
  }

  @Test
  void findsTheAlarmsAmongATasksMetrics() throws Exception {
    assertThat(
            FlinkJobs.alarms(
                new com.fasterxml.jackson.databind.ObjectMapper()
                    .readTree(
                        """
                        [{"id":"0.Source__coordinator_shop_orders.table.shop_orders.alarm.CONFLICT.raised","value":"2"},
                         {"id":"0.Source__coordinator_shop_orders.table.shop_orders.alarm.CONFLICT.last","value":"2030-01-01T00:00:00Z Cannot commit"},
                         {"id":"0.Source__coordinator_shop_orders.table.shop_orders.alarm.ZOMBIE.raised","value":"0"},
                         {"id":"0.Source__coordinator_shop_orders.table.shop_orders.round","value":"7"}]
                        """)))
        .containsExactly(
            new FlinkJobs.AlarmView("CONFLICT", 2, "2030-01-01T00:00:00Z Cannot commit"));
  }
}
