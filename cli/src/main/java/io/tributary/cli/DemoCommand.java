package io.tributary.cli;

import io.tributary.cli.demo.Demo;
import io.tributary.cli.demo.DemoConfig;
import io.tributary.cli.demo.DemoResult;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary demo}. */
@Command(
    name = "demo",
    header = "The whole pipeline on this machine, under load, checked row by row.",
    description = {
      "Run everything on this machine: start the local stack, make 4 shards on 2 servers, load a",
      "product catalogue, apply the registry, run the coordinator and 2 groups, keep changing rows,",
      "print each status message; then stop, wait for the watermark, compare row by row and print",
      "the verdict. Exits 0 when it is clean, 1 when not."
    })
final class DemoCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private StackOptions stack;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "200000",
      converter = CountConverter.class,
      description = "Rows to load before the jobs start. Default: 200000.")
  private int rows;

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      defaultValue = "60 s",
      description = "How long the workload goes on after the first commit. Default: 60 s.")
  private Duration duration;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "400",
      converter = CountConverter.class,
      description = "Transactions a second of the workload. Default: 400.")
  private int rate;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed makes the same rows and changes. Default: 1.")
  private long seed;

  @Option(names = "--keep", description = "Leave stack and jobs running at the end.")
  private boolean keep;

  @Option(
      names = "--continue",
      description = "Go on with the data of the last demo. Default: begin anew.")
  private boolean continueEarlier;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the numbers to this file.")
  private Path json;

  DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    // With -o json the result alone goes to standard output.
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    Demo demo =
        new Demo(
            new DemoConfig(stack.folder(), rows, duration, seed, rate, keep, continueEarlier),
            screen,
            Clock.systemUTC());
    DemoResult result = Interruption.guarded(terminal, screen, demo::run);
    if (json != null) {
      Json.write(json, result.json());
    }
    if (common.json()) {
      terminal.line(Json.pretty(result.json()));
    }
    show(screen, result);
    return result.clean() ? ExitCode.OK : ExitCode.NO;
  }

  private void show(Terminal screen, DemoResult result) {
    screen.line("");
    screen.line(
        "  Verdict: "
            + (result.clean() ? screen.good(result.verdict()) : screen.bad(result.verdict())));
    screen.line(
        "  %d rounds, %d status messages, %d duplicates; %d data snapshots (%d of %d data rounds in exactly one), %d commit conflicts"
            .formatted(
                result.rounds(),
                result.statusMessages(),
                result.duplicateStatusMessages(),
                result.dataSnapshots(),
                result.dataRoundsInOneSnapshot(),
                result.dataRounds(),
                result.commitConflicts()));
    screen.line(
        String.format(
            Locale.ROOT,
            "  first data %.1f s after the stack was up; lag of the messages %.1f s (median), %.1f s (99%%)",
            result.secondsToFirstStatus(),
            result.lagMsP50() / 1000.0,
            result.lagMsP99() / 1000.0));
    if (keep) {
      screen.line("");
      screen.line(
          "  Stack and jobs go on. See them: bin/tributary status; end them: bin/tributary local stop");
    }
  }
}
