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
}
