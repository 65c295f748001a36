package io.tributary.cli.plan;

import io.tributary.protocol.TableName;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an edit of the registry would do.
 *
 * @param current the version that it is an edit of; 0 when none is published
 * @param lines one or more for every part that the edit touches, refusals first
 * @param jobs what is to be done with each job, the coordinator first
 * @param looks how each table was found, in words
 */
public record RegistryPlan(
    long current, List<PlanLine> lines, List<JobStep> jobs, SortedMap<TableName, String> looks) {
  /** What the plan comes down to. */
  public enum Verdict {
    /** The published registry says the same. */
    NO_CHANGE("no change"),
    /** The edit may be published. */
    CHANGES("changes"),
    /** The edit must not be published. */
    REFUSED("refused");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  public RegistryPlan {
    lines = List.copyOf(lines);
    jobs = List.copyOf(jobs);
    looks = Collections.unmodifiableSortedMap(new TreeMap<>(looks));
  }

  /** With refusals of others ahead of its own. */
  public RegistryPlan with(List<PlanLine> refused) {
    return new RegistryPlan(
        current, Stream.concat(refused.stream(), lines.stream()).toList(), jobs, looks);
  }

  public Verdict verdict() {
    if (!refusals().isEmpty()) {
      return Verdict.REFUSED;
    }
    return lines.isEmpty() ? Verdict.NO_CHANGE : Verdict.CHANGES;
  }

  /** The lines that keep it from being published. */
  public List<PlanLine> refusals() {
    return lines.stream().filter(line -> line.effect() == Effect.REFUSED).toList();
  }
}
