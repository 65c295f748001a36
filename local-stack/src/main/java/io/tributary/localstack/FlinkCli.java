package io.tributary.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs Flink's own command line in a process of its own, as {@code flink run} would. Standard
 * output and error of each call stay in the logs folder.
 */
public final class FlinkCli {

  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Pattern SUBMITTED =
      Pattern.compile("Job has been submitted with JobID ([0-9a-f]{32})");
  private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed\\. Path: (\\S+)");

  private final StackEndpoints.Flink flink;
  private final Path logs;
  private final Path archives;
  private final boolean recordClasses;
  private final Map<String, String> environment;

  FlinkCli(StackEndpoints.Flink flink, Path logs, boolean recordClasses) {
    this(flink, logs, Installation.find().classArchives(), recordClasses, Map.of());
  }

  private FlinkCli(
      StackEndpoints.Flink flink,
      Path logs,
      Path archives,
      boolean recordClasses,
      Map<String, String> environment) {
    this.flink = flink;
    this.logs = logs;
    this.archives = archives;
    this.recordClasses = recordClasses;
    this.environment = Map.copyOf(environment);
  }

  /** The same command line with more environment variables, such as those that hold secrets. */
  public FlinkCli withEnvironment(Map<String, String> more) {
    Map<String, String> merged = new java.util.HashMap<>(environment);
    merged.putAll(more);
    return new FlinkCli(flink, logs, archives, recordClasses, merged);
  }

  /**
   * Submits a job and returns when the cluster has it, without waiting for its end.
   *
   * @return the job id, 32 hexadecimal digits
   */
  public String run(Path jar, String mainClass, List<String> arguments) {
    return run(List.of(), jar, mainClass, arguments);
  }

  /** Submits a job that continues from a savepoint or a retained checkpoint. */
  public String runFrom(String savepoint, Path jar, String mainClass, List<String> arguments) {
    return run(List.of("-s", savepoint), jar, mainClass, arguments);
  }

  /**
   * Submits a job.
   *
   * @param options options of {@code flink run}, in front of the jar
   */
  public String run(List<String> options, Path jar, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("run", "-d"));
    command.addAll(options);
    command.addAll(List.of("-c", mainClass, jar.toString()));
    command.addAll(arguments);
    return find(SUBMITTED, execute(command));
  }

  /**
   * Stops a job after a last savepoint.
   *
   * @return where the savepoint lies, as URI
   */
  public String stopWithSavepoint(String jobId) {
    return find(SAVEPOINT, execute(List.of("stop", jobId)));
  }

  /** Ends a job at once; its retained checkpoints stay. */
  public void cancel(String jobId) {
    execute(List.of("cancel", jobId));
  }

  /** What {@code flink list} prints: running and scheduled jobs. */
  public String list() {
    return execute(List.of("list"));
  }

  /**
   * Runs any command of Flink's command line.
   *
   * @return what it printed
   * @throws LocalStackException with the end of its output when it fails or takes over 3 min
   */
  public String execute(List<String> arguments) {
    ClassArchive archive =
        ClassArchive.of(archives, "cli", flink.lib(), UUID.randomUUID().toString(), recordClasses);
    List<String> command =
        new JavaCommand()
            .options(archive.javaOptions())
            .option("-Xmx512m")
            .option("-XX:+UseSerialGC")
            .option("-XX:TieredStopAtLevel=1")
            .option("-XX:-UsePerfData")
            .options(FlinkService.JAVA_OPTIONS)
            .option("-Dlog.file=" + logs.resolve("flink-cli.log"))
            .option(
                "-Dlog4j2.configurationFile="
                    + flink.clientConf().resolve("log4j.properties").toUri())
            .jars(flink.lib())
            .main("org.apache.flink.client.cli.CliFrontend", arguments.toArray(String[]::new));
    Path output = null;
    try {
      Files.createDirectories(logs);
      if (archive.records()) {
        archive.prepare();
      }
      output = Files.createTempFile(logs, "flink-cli-", ".out");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile());
      builder.environment().put("FLINK_CONF_DIR", flink.clientConf().toString());
      builder.environment().putAll(environment);
      Process process = builder.start();
      boolean ended;
      try {
        ended = process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      } finally {
        if (process.isAlive()) {
          process.destroyForcibly().waitFor();
        }
        if (archive.records()) {
          archive.finish(process.exitValue() == 0);
        }
      }
      if (!ended) {
        throw new LocalStackException(
            "Cannot run flink %s: expected an end within %d s, found none%s"
                .formatted(
                    arguments.get(0), TIMEOUT.toSeconds(), StackFolder.tail(List.of(output))));
      }
      if (process.exitValue() != 0) {
        throw new LocalStackException(
            "Cannot run flink %s: expected code 0, found %d%s"
                .formatted(
                    arguments.get(0), process.exitValue(), StackFolder.tail(List.of(output))));
      }
      return Files.readString(output);
    } catch (IOException e) {
      throw new LocalStackException("Cannot run flink " + arguments.get(0), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException(
          "Cannot run flink %s: interrupted".formatted(arguments.get(0)), e);
    }
  }

  private static String find(Pattern pattern, String output) {
    Matcher matcher = pattern.matcher(output);
    if (!matcher.find()) {
      throw new LocalStackException(
          "Cannot read the answer of Flink's command line: expected \"%s\", found: %s"
              .formatted(pattern, output));
    }
    return matcher.group(1);
  }
}
