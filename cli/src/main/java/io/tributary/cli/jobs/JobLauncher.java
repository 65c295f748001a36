package io.tributary.cli.jobs;

import io.tributary.cli.JobJar;
import java.util.List;

/** Puts jobs onto a cluster. */
@FunctionalInterface
public interface JobLauncher {
  /**
   * Submits a job and waits until the cluster has it.
   *
   * @param name how the job is called in messages
   * @param options of {@code flink run}
   * @return the job id, 32 hexadecimal digits
   * @throws io.tributary.cli.CliException when it is refused
   */
  String launch(String name, List<String> options, JobJar job, List<String> arguments);
}
