package io.tributary.loadtests.chaos;

import io.tributary.cli.CliException;
import io.tributary.cli.ExitCode;
import io.tributary.cli.JobJar;
import io.tributary.cli.JobSubmission;
import io.tributary.cli.status.FlinkJobs;
import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The jobs, as an operator starts and ends them: a command that fails because something is away is
 * given again until it succeeds. For any thread; one at a time for each job.
 */
final class Jobs {
  static final String COORDINATOR = "coordinator";

  /** Several times as long as it takes to replace a JobManager that has fallen silent. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final Duration LOOK = Duration.ofMillis(500);

  private final LocalStack stack;
  private final JobJar coordinator;
  private final JobJar ingest;
  private final List<String> place;
  private final Map<String, String> ids = new ConcurrentHashMap<>();
  private final Set<String> restarting = ConcurrentHashMap.newKeySet();

  /**
   * @param place arguments that tell the jobs where the registry is
   */
  Jobs(LocalStack stack, JobJar coordinator, JobJar ingest, List<String> place) {
    this.stack = stack;
    this.coordinator = coordinator;
    this.ingest = ingest;
    this.place = List.copyOf(place);
  }

  /** Submits a job for the first time. */
  void submit(String name) throws InterruptedException {
    submit(name, List.of(), Optional.empty());
  }

  /** Cancels a job and submits it anew. */
  void restart(String name, boolean withState) throws InterruptedException {
    restarting.add(name);
    try {
      String old = ids.get(name);
      cancel(name, old);
      List<String> options =
          withState
              ? newestCheckpoint(old).map(found -> List.of("-s", found)).orElse(List.of())
              : List.of();
      submit(name, options, Optional.of(old));
    } finally {
      restarting.remove(name);
    }
  }

  /** The TaskManagers that run a job now; none when Flink does not say. */
  Set<String> hosts(String name) {
    try {
      return stack.flinkRest().taskManagersOf(ids.get(name));
    } catch (LocalStackException e) {
      return Set.of();
    }
  }

  /** Whether one of the jobs has a checkpoint under way. */
  boolean isCheckpointing() {
    return ids.values().stream().anyMatch(this::isCheckpointing);
  }

  private boolean isCheckpointing(String id) {
    try {
      return stack
              .flinkRest()
              .get("/jobs/" + id + "/checkpoints")
              .path("counts")
              .path("in_progress")
              .asLong()
          > 0;
    } catch (LocalStackException e) {
      return false;
    }
  }

  /** Which job has ended though nobody asked for it, and why; empty also when Flink is away. */
  Optional<String> ended() {
    FlinkRest rest = stack.flinkRest();
    for (Map.Entry<String, String> job : ids.entrySet()) {
      if (restarting.contains(job.getKey())) {
        continue;
      }
      try {
        String state = rest.jobState(job.getValue());
        if (FlinkJobs.hasEnded(state)
            && !restarting.contains(job.getKey())
            && job.getValue().equals(ids.get(job.getKey()))) {
          return Optional.of(
              "job %s is %s%s"
                  .formatted(
                      job.getKey(),
                      state,
                      new FlinkJobs(rest)
                          .lastError(job.getValue())
                          .map(cause -> ": " + cause)
                          .orElse("")));
        }
      } catch (LocalStackException e) {
        // A JobManager that is away is asked again later.
        continue;
      }
    }
    return Optional.empty();
  }

  /** What each job is doing, for a report. */
  String states() {
    List<String> states = new ArrayList<>();
    ids.forEach(
        (name, id) -> {
          try {
            states.add(
                name
                    + " "
                    + stack.flinkRest().jobState(id)
                    + new FlinkJobs(stack.flinkRest())
                        .lastError(id)
                        .map(cause -> " after: " + cause)
                        .orElse(""));
          } catch (LocalStackException e) {
            states.add(name + " in a state that Flink does not tell");
          }
        });
    return String.join("; ", states);
  }

  private void cancel(String name, String id) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    LocalStackException last = null;
    while (System.nanoTime() < deadline) {
      try {
        Optional<FlinkRest.Job> found =
            stack.flinkRest().jobs().stream().filter(job -> job.id().equals(id)).findFirst();
        if (found.isEmpty() || FlinkJobs.hasEnded(found.get().state())) {
          return;
        }
        if (!found.get().state().equals("CANCELLING")) {
          stack.flinkRest().cancel(id);
        }
      } catch (LocalStackException e) {
        last = e;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    throw tooLong("cancel", name, last);
  }

  private void submit(String name, List<String> options, Optional<String> old)
      throws InterruptedException {
    JobJar jar = name.equals(COORDINATOR) ? coordinator : ingest;
    List<String> arguments = new ArrayList<>(place);
    if (!name.equals(COORDINATOR)) {
      arguments.addAll(List.of("--group", name));
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    CliException last = null;
    while (System.nanoTime() < deadline) {
      // A submission whose answer was lost has succeeded all the same.
      Optional<String> running = running(name).filter(id -> !Optional.of(id).equals(old));
      if (running.isPresent()) {
        ids.put(name, running.get());
        return;
      }
      try {
        ids.put(name, JobSubmission.submit(stack.flinkCli(), name, options, jar, arguments));
        return;
      } catch (CliException e) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while submitting " + name);
        }
        last = e;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    throw tooLong("submit", name, last);
  }

  private Optional<String> running(String name) {
    FlinkJobs known = new FlinkJobs(stack.flinkRest());
    try {
      return (name.equals(COORDINATOR) ? known.coordinator() : known.ingest(new GroupName(name)))
          .filter(job -> !FlinkJobs.hasEnded(job.state()))
          .map(FlinkJobs.JobView::id);
    } catch (LocalStackException e) {
      return Optional.empty();
    }
  }

  private static CliException tooLong(String what, String name, Exception last) {
    return new CliException(
        ExitCode.TIMEOUT,
        "Cannot %s %s: expected it to succeed within %d s, found %s"
            .formatted(
                what, name, PATIENCE.toSeconds(), last == null ? "no answer" : last.getMessage()),
        last);
  }

  /** The files say it also when the JobManager that knew the job is gone. */
  private Optional<String> newestCheckpoint(String id) {
    Path folder = stack.folder().resolve(Path.of("data", "flink", "checkpoints", id));
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> found = Files.list(folder)) {
      return found
          .filter(path -> path.getFileName().toString().startsWith("chk-"))
          .filter(path -> Files.exists(path.resolve("_metadata")))
          .max(Comparator.comparingLong(Jobs::number))
          .map(path -> path.toUri().toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long number(Path checkpoint) {
    return Long.parseLong(checkpoint.getFileName().toString().substring("chk-".length()));
  }
}
