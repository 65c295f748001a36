package io.tributary.localstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Talks to Flink's REST API. Each call asks anew; errors are {@link LocalStackException}s. */
public final class FlinkRest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final URI root;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  /**
   * @param root the address of the web UI, without a slash at its end
   */
  public FlinkRest(URI root) {
    this.root = root;
  }

  /**
   * A job in the cluster's list.
   *
   * @param id 32 hexadecimal digits
   * @param name the job's name
   * @param state Flink's word: RUNNING, RESTARTING, FAILED ...
   */
  public record Job(String id, String name, String state) {}

  /**
   * Counts of a job's checkpoints.
   *
   * @param completed number of completed checkpoints since the job's start
   * @param failed number of failed ones
   * @param restored number of restores
   * @param latestCompletedId id of the latest completed one, when there is one
   * @param latestPath where its metadata lies, when it was written to a file
   */
  public record Checkpoints(
      long completed,
      long failed,
      long restored,
      Optional<Long> latestCompletedId,
      Optional<String> latestPath) {}

  /** Whether a JobManager answers here as leader. */
  public boolean isUp() {
    try {
      return get("/overview").has("taskmanagers");
    } catch (LocalStackException e) {
      return false;
    }
  }

  /** Names of the TaskManagers that are registered right now, as the stack's processes. */
  public Set<String> taskManagers() {
    Set<String> names = new TreeSet<>();
    get("/taskmanagers").get("taskmanagers").forEach(node -> names.add(node.get("id").asText()));
    return names;
  }

  /** All jobs that the cluster knows, ended ones included. */
  public List<Job> jobs() {
    List<Job> jobs = new ArrayList<>();
    get("/jobs/overview")
        .get("jobs")
        .forEach(
            node ->
                jobs.add(
                    new Job(
                        node.get("jid").asText(),
                        node.get("name").asText(),
                        node.get("state").asText())));
    return jobs;
  }

  /** Flink's word for the state of a job: RUNNING, RESTARTING, FAILED ... */
  public String jobState(String jobId) {
    return get("/jobs/" + jobId).get("state").asText();
  }

  public Checkpoints checkpoints(String jobId) {
    JsonNode node = get("/jobs/" + jobId + "/checkpoints");
    JsonNode counts = node.path("counts");
    JsonNode latest = node.path("latest").path("completed");
    return new Checkpoints(
        counts.path("completed").asLong(),
        counts.path("failed").asLong(),
        counts.path("restored").asLong(),
        latest.hasNonNull("id") ? Optional.of(latest.get("id").asLong()) : Optional.empty(),
        latest.hasNonNull("external_path")
            ? Optional.of(latest.get("external_path").asText())
            : Optional.empty());
  }

  /** The job's latest failures with their stack traces, newest first. */
  public List<String> exceptions(String jobId) {
    List<String> texts = new ArrayList<>();
    get("/jobs/" + jobId + "/exceptions")
        .path("exceptionHistory")
        .path("entries")
        .forEach(entry -> texts.add(entry.path("stacktrace").asText()));
    return texts;
  }

  /** Names of the stack's processes that run a subtask of this job right now. */
  public Set<String> taskManagersOf(String jobId) {
    return taskManagersOf(jobId, "");
  }

  /**
   * Names of the stack's processes that run a subtask of a vertex of this job right now.
   *
   * @param vertexNamePart part of the vertex's name
   */
  public Set<String> taskManagersOf(String jobId, String vertexNamePart) {
    Set<String> names = new TreeSet<>();
    for (JsonNode vertex : get("/jobs/" + jobId).get("vertices")) {
      if (vertex.get("name").asText().contains(vertexNamePart)) {
        get("/jobs/" + jobId + "/vertices/" + vertex.get("id").asText())
            .get("subtasks")
            .forEach(
                subtask -> {
                  String id = subtask.path("taskmanager-id").asText("");
                  if (!id.isEmpty() && !id.startsWith("(")) {
                    names.add(id);
                  }
                });
      }
    }
    return names;
  }

  /**
   * Any other resource of the API.
   *
   * @param path begins with a slash
   */
  public JsonNode get(String path) {
    URI uri = URI.create(root + path);
    try {
      return JSON.readTree(ask(HttpRequest.newBuilder(uri), 200));
    } catch (JsonProcessingException e) {
      throw new LocalStackException("Cannot read " + uri, e);
    }
  }

  /**
   * Asks for the end of a job after a last savepoint, and does not wait for either.
   *
   * @param directory where to; the cluster's own when empty
   * @return what {@link #savepoint} asks with
   */
  public String stop(String jobId, Optional<String> directory) {
    ObjectNode body = JSON.createObjectNode().put("drain", false);
    directory.ifPresent(path -> body.put("targetDirectory", path));
    URI uri = URI.create(root + "/jobs/" + jobId + "/stop");
    try {
      return JSON.readTree(
              ask(
                  HttpRequest.newBuilder(uri)
                      .header("Content-Type", "application/json")
                      .POST(HttpRequest.BodyPublishers.ofString(body.toString())),
                  202))
          .path("request-id")
          .asText();
    } catch (JsonProcessingException e) {
      throw new LocalStackException("Cannot read " + uri, e);
    }
  }

  /**
   * Where a savepoint lies that was asked for.
   *
   * @param request as {@link #stop} returned it
   * @return empty while it is being made
   * @throws LocalStackException when it could not be made; says why
   */
  public Optional<String> savepoint(String jobId, String request) {
    JsonNode found = get("/jobs/" + jobId + "/savepoints/" + request);
    if (!found.path("status").path("id").asText().equals("COMPLETED")) {
      return Optional.empty();
    }
    JsonNode failure = found.path("operation").path("failure-cause");
    if (!failure.isMissingNode()) {
      throw new LocalStackException(failure.path("stack-trace").asText(failure.toString()));
    }
    return Optional.of(found.path("operation").path("location").asText());
  }

  /** Asks for the end of a job, without a savepoint, and does not wait for it. */
  public void cancel(String jobId) {
    URI uri = URI.create(root + "/jobs/" + jobId + "?mode=cancel");
    ask(HttpRequest.newBuilder(uri).method("PATCH", HttpRequest.BodyPublishers.noBody()), 202);
  }

  private String ask(HttpRequest.Builder request, int expected) {
    HttpRequest made = request.timeout(TIMEOUT).build();
    URI uri = made.uri();
    try {
      HttpResponse<String> response = client.send(made, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != expected) {
        throw new LocalStackException(
            "Cannot %s %s: expected status %d, found %d: %s"
                .formatted(made.method(), uri, expected, response.statusCode(), response.body()));
      }
      return response.body();
    } catch (IOException e) {
      throw new LocalStackException("Cannot read " + uri, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException("Cannot read %s: interrupted".formatted(uri), e);
    }
  }
}
