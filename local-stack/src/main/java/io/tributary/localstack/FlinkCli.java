package io.tributary.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs Flink's own command line in a process of its own, as {@code flink run} would. Standard
 * output and error of each call stay in the logs folder.
 */
public final class FlinkCli {

  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final Pattern SUBMITTED =
      Pattern.compile("Job has been submitted with JobID ([0-9a-f]{32})");
  private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed\\. Path: (\\S+)");

  private final StackEndpoints.Flink flink;
  private final StackFolder folder;
  private final Path archives;
  private final boolean recordClasses;
  private final Map<String, String> environment;

  FlinkCli(StackEndpoints.Flink flink, StackFolder folder, boolean recordClasses) {
    this(flink, folder, Installation.find().classArchives(), recordClasses, Map.of());
  }

  private FlinkCli(
      StackEndpoints.Flink flink,
      StackFolder folder,
      Path archives,
      boolean recordClasses,
      Map<String, String> environment) {
    this.flink = flink;
    this.folder = folder;
    this.archives = archives;
    this.recordClasses = recordClasses;
    this.environment = Map.copyOf(environment);
  }

  /** The same command line with more environment variables, such as those that hold secrets. */
  public FlinkCli withEnvironment(Map<String, String> more) {
    Map<String, String> merged = new HashMap<>(environment);
    merged.putAll(more);
    return new FlinkCli(flink, folder, archives, recordClasses, merged);
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
    command.addAll(List.of("-c", mainClass, jar.toAbsolutePath().toString()));
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
   * @throws LocalStackException with the end of its output when it fails or takes over 10 min
   */
  public String execute(List<String> arguments) {
    String run = UUID.randomUUID().toString();
    List<Path> jars = JavaCommand.jarsIn(flink.lib());
    ClassArchive archive = ClassArchive.of(archives, "cli", jars, run, recordClasses);
    List<String> command =
        new JavaCommand()
            .options(archive.javaOptions())
            .option("-Xmx512m")
            .option("-XX:+UseSerialGC")
            .quickStart()
            .option("-XX:-UsePerfData")
            .options(FlinkService.JAVA_OPTIONS)
            .temporaryFilesIn(folder)
            .option("-Dlog.file=" + folder.log("flink-cli.log"))
            .option(
                "-Dlog4j2.configurationFile="
                    + flink.clientConf().resolve("log4j.properties").toUri())
            .jars(jars)
            .main("org.apache.flink.client.cli.CliFrontend", arguments.toArray(String[]::new));
    String name = "flink-cli-" + run;
    Path output = folder.log(name + ".out");
    if (archive.records()) {
      archive.prepare();
    }
    Map<String, String> variables = new HashMap<>(environment);
    variables.put("FLINK_CONF_DIR", flink.clientConf().toString());
    GuardedProcess process =
        GuardedProcess.start(
            folder,
            name,
            command,
            variables,
            // Relative names in the arguments are the caller's.
            Path.of("").toAbsolutePath(),
            output,
            Duration.ofSeconds(2));
    try {
      boolean ended = process.await(TIMEOUT);
      if (!ended || process.exitValue() != 0) {
        throw new LocalStackException(
            "Cannot run flink %s: expected code 0 within %d s, found %s%s"
                .formatted(
                    arguments.get(0),
                    TIMEOUT.toSeconds(),
                    ended ? process.exitValue() : "no end",
                    StackFolder.tail(List.of(output))));
      }
      return Files.readString(output);
    } catch (IOException e) {
      throw new LocalStackException("Cannot read what flink printed to " + output, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException(
          "Cannot run flink %s: interrupted".formatted(arguments.get(0)), e);
    } finally {
      if (archive.records()) {
        archive.finish(process.endedInOrder());
      }
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
