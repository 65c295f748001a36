package io.tributary.cli;

import io.tributary.cli.jobs.JobLauncher;
import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.FlinkCli;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where jobs are submitted: a Flink installation, or the local stack's cluster. */
final class FlinkOptions {
  private static final Pattern SUBMITTED =
      Pattern.compile("Job has been submitted with JobID ([0-9a-f]{32})");

  @Mixin private LaunchOptions launch;

  @Option(
      names = {"-s", "--from-savepoint"},
      paramLabel = "PATH",
      description =
          "Continue from this savepoint or retained checkpoint. Default: from what the table "
              + "remembers.")
  String savepoint;

  /** Submits jobs from the savepoint that was named, if one was. */
  JobLauncher launcher(StackOptions stack) {
    JobLauncher launcher = launch.launcher(stack, Optional.empty());
    return savepoint == null
        ? launcher
        : (name, options, job, arguments) ->
            launcher.launch(name, List.of("-s", savepoint), job, arguments);
  }

  /**
   * Submits the job and waits until the cluster has it.
   *
   * @param home a Flink installation; the local stack's own when empty
   * @param name how the job is called in messages
   * @return the job id, 32 hexadecimal digits
   */
  static String submit(
      StackOptions stack,
      Optional<Path> home,
      String name,
      List<String> options,
      JobJar job,
      List<String> arguments) {
    if (home.isPresent()) {
      return submitWith(home.get(), name, options, job, arguments);
    }
    FlinkCli flink =
        stack
            .running()
            .map(AttachedStack::flinkCli)
            .orElseThrow(
                () ->
                    new CliException(
                        ExitCode.FAILED,
                        "Cannot submit a job: expected --flink-home or a local stack that runs in %s, found neither"
                            .formatted(stack.folder())));
    return JobSubmission.submit(flink, name, options, job, arguments);
  }

  private static String submitWith(
      Path home, String name, List<String> options, JobJar job, List<String> arguments) {
    Path program = home.resolve("bin").resolve("flink");
    if (!Files.isExecutable(program)) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot submit a job: expected a program at %s, found none".formatted(program));
    }
    List<String> command = new ArrayList<>(List.of(program.toString(), "run", "-d"));
    command.addAll(options);
    command.addAll(List.of("-c", job.mainClass(), job.jar().toString()));
    command.addAll(arguments);
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      Matcher matcher = SUBMITTED.matcher(output);
      if (code != 0 || !matcher.find()) {
        throw JobSubmission.refused(name, output, new IOException("Code " + code + ":\n" + output));
      }
      return matcher.group(1);
    } catch (IOException e) {
      throw new CliException(ExitCode.FAILED, "Cannot run " + program, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.INTERRUPTED, "Cannot submit a job: interrupted", e);
    }
  }
}
