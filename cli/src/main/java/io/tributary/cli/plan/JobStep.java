package io.tributary.cli.plan;

import io.tributary.protocol.GroupName;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What is to be done with one job once an edit is published.
 *
 * @param group whose ingest job it is; absent for the coordinator
 * @param why what the running job does not learn by itself
 */
public record JobStep(Optional<GroupName> group, Kind kind, List<String> why) {
  /** What is to be done with a job. */
  public enum Kind {
    /** Submitted for the first time. */
    START("submit"),
    /** Submitted anew; Flink's state may be used and need not be. */
    RESUBMIT("submit anew, with or without Flink state"),
    /**
     * Submitted anew from what the table remembers: Flink's state is of other shards or columns.
     */
    RESUBMIT_FROM_TABLE("submit anew, without Flink state"),
    /**
     * Cancelled and submitted again: it keeps no Flink state, and a second one waits for its lease.
     */
    REPLACE("cancel, and submit again"),
    /** Cancelled: there is nothing left for it to read. */
    CANCEL("cancel"),
    /** Left alone. */
    NONE("leave as it is");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    /** As people read it. */
    public String words() {
      return words;
    }
  }

  public JobStep {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(kind, "kind");
    why = List.copyOf(why);
  }

  /** The job, as messages name it. */
  public String job() {
    return group.map(name -> "group " + name).orElse("the coordinator");
  }

  /** The verb that does it; empty when none does. */
  public Optional<String> command() {
    return switch (kind) {
      case START, RESUBMIT, RESUBMIT_FROM_TABLE, REPLACE ->
          Optional.of(
              group
                  .map(
                      name ->
                          "tributary run-group "
                              + name
                              + (kind == Kind.START ? "" : " --take-over"))
                  .orElse("tributary run-coordinator"));
      case CANCEL, NONE -> Optional.empty();
    };
  }
}
