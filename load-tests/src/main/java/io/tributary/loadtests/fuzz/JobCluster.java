package io.tributary.loadtests.fuzz;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.DetachedJobExecutionResult;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;

/**
 * A Flink cluster in this process, to which the jobs' own main methods submit. Its TaskManagers can
 * be ended in the midst of their work, which to a job is what the death of a process is: whatever
 * was not in a completed checkpoint is gone.
 */
public final class JobCluster implements AutoCloseable {
  private static final int ANSWER_SECONDS = 120;

  private final MiniCluster cluster;
  private final Configuration configuration;
  private final int taskManagers;

  /** How many TaskManagers have ended; each keeps its place among the cluster's. */
  private int killed;

  /** What submits a job: its main method. */
  @FunctionalInterface
  public interface Main {
    void run() throws Exception;
  }

  /**
   * @param folder for checkpoints
   */
  public JobCluster(Path folder, int taskManagers, int slotsEach) throws Exception {
    this.taskManagers = taskManagers;
    this.configuration = new Configuration();
    configuration.set(RestOptions.BIND_PORT, "0");
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
    configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.toUri().toString());
    // In this process every job has the same class loader, which outlives them all.
    configuration.set(CoreOptions.CHECK_LEAKED_CLASSLOADER, false);
    // A machine that is busy with other things is not a dead one.
    configuration.set(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofMinutes(3));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    // Each table of the coordinator counts: what does not heal is seen as a wait that has no end.
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(300));
    this.cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(taskManagers)
                .setNumSlotsPerTaskManager(slotsEach)
                .build());
    cluster.start();
  }

  /**
   * Runs a job's main method.
   *
   * @param checkpoint to begin from
   * @return the job that it has submitted
   * @throws Exception what the main method throws
   */
  public JobID submit(Optional<String> checkpoint, Main main) throws Exception {
    Configuration job = new Configuration(configuration);
    checkpoint.ifPresent(path -> job.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
    Environment environment = new Environment(job, cluster);
    environment.running(main);
    if (environment.submitted == null) {
      throw new IllegalStateException("Cannot run a job: its main method has submitted none");
    }
    return environment.submitted;
  }

  /** The environment that a main method finds in the place of a cluster's. */
  private static final class Environment extends StreamExecutionEnvironment {
    private final MiniCluster cluster;
    private JobID submitted;

    Environment(Configuration configuration, MiniCluster cluster) {
      super(configuration);
      this.cluster = cluster;
    }

    void running(Main main) throws Exception {
      initializeContextEnvironment(configuration -> this);
      try {
        main.run();
      } finally {
        resetContextEnvironment();
      }
    }

    @Override
    public JobExecutionResult execute(StreamGraph graph) throws Exception {
      submitted =
          cluster.submitJob(graph.getJobGraph()).get(ANSWER_SECONDS, TimeUnit.SECONDS).getJobID();
      return new DetachedJobExecutionResult(submitted);
    }
  }

  /** Ends all TaskManagers, one after the other, each followed by a new one. */
  void killTaskManagers() throws Exception {
    for (int i = 0; i < taskManagers; i++) {
      // The next one is there before, so that no job waits for slots. The place of one that has
      // ended stays: the next one's is behind it.
      cluster.startTaskManager();
      cluster.terminateTaskManager(killed).get(ANSWER_SECONDS, TimeUnit.SECONDS);
      killed++;
    }
  }

  /** Ends a job without a savepoint and waits until it has ended. */
  public void cancel(JobID job) throws Exception {
    if (!status(job).isGloballyTerminalState()) {
      cluster.cancelJob(job).get(ANSWER_SECONDS, TimeUnit.SECONDS);
      cluster.requestJobResult(job).get(ANSWER_SECONDS, TimeUnit.SECONDS);
    }
  }

  JobStatus status(JobID job) throws Exception {
    return cluster.getJobStatus(job).get(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  /** Where the job's newest completed checkpoint is. */
  Optional<String> newestCheckpoint(JobID job) throws Exception {
    CompletedCheckpointStats newest =
        cluster
            .getExecutionGraph(job)
            .get(ANSWER_SECONDS, TimeUnit.SECONDS)
            .getCheckpointStatsSnapshot()
            .getHistory()
            .getLatestCompletedCheckpoint();
    return Optional.ofNullable(newest).map(CompletedCheckpointStats::getExternalPath);
  }

  /** Why a job has ended, its causes from the outermost on; empty while it runs. */
  public Optional<String> failure(JobID job) throws Exception {
    if (status(job) != JobStatus.FAILED) {
      return Optional.empty();
    }
    try {
      return cluster
          .requestJobResult(job)
          .get(ANSWER_SECONDS, TimeUnit.SECONDS)
          .getSerializedThrowable()
          .map(thrown -> causes(thrown.deserializeError(JobCluster.class.getClassLoader())))
          .or(() -> Optional.of("no reason given"));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.of(e.toString());
    }
  }

  static String causes(Throwable thrown) {
    StringBuilder causes = new StringBuilder();
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      causes.append(causes.isEmpty() ? "" : "\n  because of ").append(cause);
    }
    return causes.toString();
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
