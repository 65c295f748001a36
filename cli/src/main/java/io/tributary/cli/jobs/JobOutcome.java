package io.tributary.cli.jobs;

import java.util.Objects;
import java.util.Optional;

/**
 * What was done with one job.
 *
 * @param job as messages name it
 * @param flinkJob its id on the cluster, if it has one
 * @param why what it was started from, or what stood against it
 */
public record JobOutcome(String job, Did did, Optional<String> flinkJob, String why) {
  /** What was done. */
  public enum Did {
    STARTED("started"),
    RUNNING("already running"),
    LEFT("left alone"),
    STOPPED("stopped"),
    FAILED("failed");

    private final String words;

    Did(String words) {
      this.words = words;
    }

    /** As people read it. */
    public String words() {
      return words;
    }
  }

  public JobOutcome {
    Objects.requireNonNull(job, "job");
    Objects.requireNonNull(did, "did");
    Objects.requireNonNull(flinkJob, "flinkJob");
    Objects.requireNonNull(why, "why");
  }
}
