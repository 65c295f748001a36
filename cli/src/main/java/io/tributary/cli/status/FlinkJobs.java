package io.tributary.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Our jobs on a Flink cluster, found by their names. */
public final class FlinkJobs {
  private static final Set<String> ENDED = Set.of("FAILED", "CANCELED", "FINISHED");

  private static final String CAUSED_BY = "Caused by: ";

  /** A coordinator's metrics about one kind of alarm, wherever Flink puts them. */
  private static final Pattern ALARM = Pattern.compile("\\.alarm\\.([A-Z_]+)\\.(raised|last)$");

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

  /**
   * The names of all tables that a coordinator's job has a part for; none while it is being made.
   *
   * @throws LocalStackException when Flink does not answer
   */
  public SortedSet<String> coordinated(String jobId) {
    SortedSet<String> tables = new TreeSet<>();
    for (JsonNode vertex : rest.get("/jobs/" + jobId).path("vertices")) {
      Matcher part = JobNames.COORDINATOR_OF.matcher(vertex.path("name").asText());
      while (part.find()) {
        tables.add(part.group(1));
      }
    }
    return tables;
  }

  private static boolean isPartFor(JsonNode vertex, TableName table) {
    return (vertex.path("name").asText() + " ").contains(JobNames.coordinatorOf(table) + " ");
  }

  /**
   * Something that a table's coordinator raised since it was started.
   *
   * @param code what happened, as the metric says
   * @param times how often
   * @param last when it was raised last, and what was said with the cure
   */
  public record AlarmView(String code, long times, String last) {}

  /**
   * What the table's coordinator raised since its task was started; none while it does not run.
   *
   * @throws LocalStackException when Flink does not answer
   */
  public List<AlarmView> alarms(String jobId, TableName table) {
    List<AlarmView> alarms = new ArrayList<>();
    for (JsonNode vertex : rest.get("/jobs/" + jobId).path("vertices")) {
      if (isPartFor(vertex, table)) {
        String metrics =
            "/jobs/%s/vertices/%s/metrics".formatted(jobId, vertex.path("id").asText());
        List<String> ids = new ArrayList<>();
        rest.get(metrics)
            .forEach(
                metric -> {
                  if (ALARM.matcher(metric.path("id").asText()).find()) {
                    ids.add(metric.path("id").asText());
                  }
                });
        if (!ids.isEmpty()) {
          alarms.addAll(alarms(rest.get(metrics + "?get=" + encoded(ids))));
        }
      }
    }
    return alarms;
  }

  private static String encoded(List<String> ids) {
    return URLEncoder.encode(String.join(",", ids), StandardCharsets.UTF_8);
  }

  /** The alarms that were raised at least once, by code. */
  static List<AlarmView> alarms(JsonNode metrics) {
    Map<String, String> times = new TreeMap<>();
    Map<String, String> last = new TreeMap<>();
    for (JsonNode metric : metrics) {
      Matcher name = ALARM.matcher(metric.path("id").asText());
      if (name.find()) {
        (name.group(2).equals("raised") ? times : last)
            .put(name.group(1), metric.path("value").asText());
      }
    }
    return times.entrySet().stream()
        .map(
            entry ->
                new AlarmView(
                    entry.getKey(),
                    Long.parseLong(entry.getValue()),
                    last.getOrDefault(entry.getKey(), "")))
        .filter(alarm -> alarm.times() > 0)
        .toList();
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
