package io.tributary.cli.status;

import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Our jobs on a Flink cluster, found by their names. */
public final class FlinkJobs {
  private static final Set<String> ENDED = Set.of("FAILED", "CANCELED", "FINISHED");

  private static final String CAUSED_BY = "Caused by: ";

  private final FlinkRest rest;

  public FlinkJobs(FlinkRest rest) {
    this.rest = rest;
  }

  /**
   * One job as Flink sees it.
   *
   * @param id 32 hexadecimal digits
   * @param state Flink's word
   * @param lastError first line of its latest failure
   */
  public record JobView(String id, String state, Optional<String> lastError) {}

  /** Whether a job in this state, Flink's word, will not run again. */
  public static boolean hasEnded(String state) {
    return ENDED.contains(state);
  }

  /**
   * The newest job that reads the group.
   *
   * @throws LocalStackException when Flink does not answer
   */
  public Optional<JobView> ingest(GroupName group) {
    return newest(JobNames.ingest(group)::equals);
  }

  /**
   * The newest coordinator.
   *
   * @throws LocalStackException when Flink does not answer
   */
  public Optional<JobView> coordinator() {
    return newest(name -> name.startsWith(JobNames.COORDINATOR));
  }

  private Optional<JobView> newest(Predicate<String> ours) {
    List<FlinkRest.Job> named = rest.jobs().stream().filter(job -> ours.test(job.name())).toList();
    // A running one, else the last to have ended: Flink lists the newest first.
    return named.stream()
        .filter(job -> !ENDED.contains(job.state()))
        .findFirst()
        .or(() -> named.stream().findFirst())
        .map(job -> new JobView(job.id(), job.state(), lastError(job.id())));
  }

  /**
   * What a job's latest failure comes down to, if it has had one.
   *
   * @throws LocalStackException when Flink does not answer
   */
  public Optional<String> lastError(String id) {
    return rest.exceptions(id).stream().findFirst().map(FlinkJobs::rootCause);
  }

  /**
   * What a stack trace comes down to: the innermost message of ours, which says what to do, else
   * the innermost cause; outer ones only say that a task failed.
   */
  public static String rootCause(String trace) {
    String cause = trace.lines().findFirst().orElse("");
    String ours = null;
    for (String line : trace.lines().toList()) {
      if (line.startsWith(CAUSED_BY)) {
        cause = line.substring(CAUSED_BY.length());
        int message = cause.indexOf(": Cannot ");
        if (message > 0) {
          ours = cause.substring(message + 2);
        }
      }
    }
    return ours == null ? cause : ours;
  }
}
