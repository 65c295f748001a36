package io.tributary.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.cli.CliException;
import io.tributary.cli.ExitCode;
import io.tributary.cli.jobs.JobOutcome.Did;
import io.tributary.cli.status.FlinkJobs;
import io.tributary.cli.status.FlinkJobs.JobView;
import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.Savepoint;
import io.tributary.registry.zookeeper.Savepoints;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * All jobs of a registry on one cluster. What is done with one never keeps another from being
 * looked at; a job that runs is never touched, unless it is to be stopped.
 */
public final class Fleet {
  private static final String COORDINATOR = "the coordinator";
  private static final long LOOK_MS = 200;

  /** States in which a job is about to end. */
  /** Only then does Flink say of which parts a job is made. */
  private static final Set<String> WITH_PARTS = Set.of("RUNNING", "RESTARTING");

  private static final Set<String> ENDING = Set.of("CANCELLING", "FAILING");

  private final Registry registry;
  private final FlinkRest rest;
  private final FlinkJobs jobs;
  private final Optional<ZooKeeperConnection> zooKeeper;
  private final Duration patience;
  private final Clock clock;

  /**
   * @param patience how long a job may take to end
   */
  public Fleet(
      Registry registry,
      FlinkRest rest,
      Optional<ZooKeeperConnection> zooKeeper,
      Duration patience,
      Clock clock) {
    this.registry = registry;
    this.rest = rest;
    this.jobs = new FlinkJobs(rest);
    this.zooKeeper = zooKeeper;
    this.patience = patience;
    this.clock = clock;
  }

  /** The job that was found, when it has not ended. */
  private static Optional<JobView> alive(Optional<JobView> found) {
    return found.filter(job -> !FlinkJobs.hasEnded(job.state()));
  }

  /** Starts the coordinator where none runs, or where the running one has no part for a table. */
  public JobOutcome bringUpCoordinator(JobStarter starter) {
    return attempt(
        COORDINATOR,
        () -> {
          Optional<JobView> running = alive(jobs.coordinator());
          if (running.isEmpty()) {
            return started(COORDINATOR, starter.coordinator(), "it keeps no state of its own");
          }
          JobView job = running.get();
          if (!WITH_PARTS.contains(job.state())) {
            return found(COORDINATOR, job);
          }
          List<String> missing = new ArrayList<>();
          Set<String> others = new TreeSet<>(jobs.coordinated(job.id()));
          for (TableSpec table : registry.tables()) {
            if (!others.remove(table.name().value())) {
              missing.add(table.name().value());
            }
          }
          if (missing.isEmpty()) {
            return found(COORDINATOR, job);
          }
          if (!others.isEmpty()) {
            // Another registry's: without it, nobody would commit its tables.
            throw new CliException(
                ExitCode.FAILED,
                "Cannot replace coordinator %s, which has no part for tables %s: expected one of this registry's tables only, found tables %s; cure: cancel it if nobody needs it, or use another cluster for this registry"
                    .formatted(job.id(), missing, others));
          }
          rest.cancel(job.id());
          awaitEnd(job.id());
          return started(
              COORDINATOR,
              starter.coordinator(),
              "in place of %s, which had no part for tables %s".formatted(job.id(), missing));
        });
  }

  /** Starts a group's job where none runs. */
  public JobOutcome bringUp(GroupName group, JobStarter starter, boolean fromTable) {
    String name = "group " + group;
    return attempt(
        name,
        () -> {
          Optional<JobView> running = alive(jobs.ingest(group));
          if (running.isPresent()) {
            return found(name, running.get());
          }
          if (registry.activeShardsOf(group).isEmpty()) {
            return new JobOutcome(name, Did.LEFT, Optional.empty(), "it has no active shard");
          }
          StartingPoint from =
              fromTable ? StartingPoint.ofTable("as asked for") : starter.startingPoint(group);
          return started(name, starter.group(group, from, false), from.why());
        });
  }

  private static JobOutcome started(String name, String id, String why) {
    return new JobOutcome(name, Did.STARTED, Optional.of(id), why);
  }

  private static JobOutcome found(String name, JobView job) {
    String state = job.state() + job.lastError().map(error -> ", last error: " + error).orElse("");
    return ENDING.contains(job.state())
        ? new JobOutcome(
            name,
            Did.LEFT,
            Optional.of(job.id()),
            state + "; it is about to end: run this again then")
        : new JobOutcome(name, Did.RUNNING, Optional.of(job.id()), state);
  }

  /**
   * Stops a group's job after a last savepoint, and remembers that.
   *
   * @param directory where the savepoint goes; the cluster's own place when empty
   */
  public JobOutcome stop(GroupName group, Optional<String> directory) {
    String name = "group " + group;
    return attempt(
        name,
        () -> {
          Optional<JobView> running = alive(jobs.ingest(group));
          if (running.isEmpty()) {
            return notRunning(name);
          }
          String id = running.get().id();
          JsonNode told =
              rest.get("/jobs/" + id + "/config").path("execution-config").path("user-config");
          String path = savepoint(name, id, directory);
          awaitEnd(id);
          boolean kept = keep(group, path, told);
          return new JobOutcome(
              name,
              Did.STOPPED,
              Optional.of(id),
              "with savepoint "
                  + path
                  + (kept ? "" : ", which nobody remembers: give it to run-group with -s"));
        });
  }

  private String savepoint(String name, String id, Optional<String> directory) {
    try {
      String request = rest.stop(id, directory);
      long deadline = System.nanoTime() + patience.toNanos();
      while (System.nanoTime() < deadline) {
        Optional<String> path = rest.savepoint(id, request);
        if (path.isPresent()) {
          return path.get();
        }
        pause();
      }
    } catch (LocalStackException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot stop %s: expected a savepoint of Flink job %s, found %s; cure: wait until it runs, or end it without one by --cancel, which loses no row"
              .formatted(name, id, FlinkJobs.rootCause(String.valueOf(e.getMessage()))),
          e);
    }
    throw new CliException(
        ExitCode.TIMEOUT,
        "Cannot stop %s: expected a savepoint of Flink job %s within %s, found none; it may still come"
            .formatted(name, id, patience));
  }

  private boolean keep(GroupName group, String path, JsonNode told) {
    if (zooKeeper.isEmpty() || !told.hasNonNull("tributary.incarnation")) {
      return false;
    }
    new Savepoints(zooKeeper.get())
        .keep(
            registry.group(group).table(),
            group,
            new Savepoint(
                path,
                new Incarnation(told.path("tributary.incarnation").asLong()),
                told.path("tributary.registry-version").asLong(),
                clock.instant()));
    return true;
  }

  /** Ends a group's job without a savepoint. */
  public JobOutcome cancel(GroupName group) {
    return cancel(
        "group " + group,
        () -> jobs.ingest(group),
        "without a savepoint: it goes on from the table");
  }

  /** Ends the coordinator. */
  public JobOutcome stopCoordinator() {
    return cancel(
        COORDINATOR, jobs::coordinator, "without a savepoint: it keeps no state of its own");
  }

  private JobOutcome cancel(String name, Supplier<Optional<JobView>> job, String why) {
    return attempt(
        name,
        () -> {
          Optional<JobView> running = alive(job.get());
          if (running.isEmpty()) {
            return notRunning(name);
          }
          rest.cancel(running.get().id());
          awaitEnd(running.get().id());
          return new JobOutcome(name, Did.STOPPED, Optional.of(running.get().id()), why);
        });
  }

  private static JobOutcome notRunning(String name) {
    return new JobOutcome(name, Did.LEFT, Optional.empty(), "it does not run");
  }

  /** The groups of the registry, in its order. */
  public List<GroupName> groups() {
    return registry.groups().stream().map(GroupSpec::name).toList();
  }

  private static JobOutcome attempt(String name, Supplier<JobOutcome> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      return new JobOutcome(name, Did.FAILED, Optional.empty(), String.valueOf(e.getMessage()));
    }
  }

  private void awaitEnd(String id) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!FlinkJobs.hasEnded(rest.jobState(id))) {
      if (System.nanoTime() > deadline) {
        throw new CliException(
            ExitCode.TIMEOUT,
            "Cannot wait longer for Flink job %s: expected its end within %s, found state %s"
                .formatted(id, patience, rest.jobState(id)));
      }
      pause();
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.INTERRUPTED, "Cannot wait for a job: interrupted", e);
    }
  }
}
