package io.tributary.cli;

import io.tributary.cli.status.FlinkJobs;
import io.tributary.localstack.FlinkCli;
import io.tributary.localstack.LocalStackException;
import java.util.List;

/** Submits jobs to the local stack's cluster and tells in one line why one is refused. */
public final class JobSubmission {
  private JobSubmission() {}

  /**
   * Submits a job and waits until the cluster has it.
   *
   * @param name how the job is called in messages
   * @param options of {@code flink run}
   * @return the job id, 32 hexadecimal digits
   * @throws CliException when it is refused
   */
  public static String submit(
      FlinkCli flink, String name, List<String> options, JobJar job, List<String> arguments) {
    try {
      return flink.run(options, job.jar(), job.mainClass(), arguments);
    } catch (LocalStackException e) {
      throw refused(name, String.valueOf(e.getMessage()), e);
    }
  }

  static CliException refused(String name, String output, Exception cause) {
    return new CliException(
        ExitCode.FAILED,
        "Cannot submit %s: expected flink run to succeed, found %s (--debug shows all of it)"
            .formatted(name, FlinkJobs.rootCause(output)),
        cause);
  }
}
