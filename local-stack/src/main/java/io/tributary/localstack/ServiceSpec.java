package io.tributary.localstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * How to run one service process.
 *
 * @param name unique in the stack; used for its pid file and logs
 * @param command program and arguments; no secrets
 * @param environment variables added to the supervisor's own
 * @param workingFolder exists when the service starts
 * @param output file that takes standard output and error
 * @param logs files to show when the service fails
 * @param grace time between the request to end and the kill
 * @param ready tells whether the service answers; an exception means not yet
 * @param archive the class archive that a run records when it is missing
 * @param mostSilence after so long without an answer the running process is killed, as a liveness
 *     probe would; empty for never
 */
record ServiceSpec(
    String name,
    List<String> command,
    Map<String, String> environment,
    Path workingFolder,
    Path output,
    List<Path> logs,
    Duration grace,
    Callable<Boolean> ready,
    Optional<ClassArchive> archive,
    Optional<Duration> mostSilence) {

  /** Writing an archive takes seconds, on a busy machine many. */
  private static final Duration RECORDING_GRACE = Duration.ofSeconds(40);

  ServiceSpec {
    if (archive.isPresent()) {
      grace = RECORDING_GRACE;
    }
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    logs = List.copyOf(logs);
  }

  /** A service that may be silent for as long as it runs. */
  ServiceSpec(
      String name,
      List<String> command,
      Map<String, String> environment,
      Path workingFolder,
      Path output,
      List<Path> logs,
      Duration grace,
      Callable<Boolean> ready,
      Optional<ClassArchive> archive) {
    this(
        name,
        command,
        environment,
        workingFolder,
        output,
        logs,
        grace,
        ready,
        archive,
        Optional.empty());
  }

  /** The same service with more variables. */
  ServiceSpec withEnvironment(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(environment);
    all.putAll(more);
    return new ServiceSpec(
        name, command, all, workingFolder, output, logs, grace, ready, archive, mostSilence);
  }

  ServiceSpec withMostSilence(Duration length) {
    return new ServiceSpec(
        name,
        command,
        environment,
        workingFolder,
        output,
        logs,
        grace,
        ready,
        archive,
        Optional.of(length));
  }
}
