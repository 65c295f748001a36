package io.tributary.loadtests.watermark;

import io.tributary.cli.CliException;
import io.tributary.cli.CommonOptions;
import io.tributary.cli.ExitCode;
import io.tributary.cli.Json;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerbProvider;
import io.tributary.loadtests.fuzz.BinlogReaderLogs;
import io.tributary.localstack.LocalStackConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary watermark}. */
@Command(
    name = "watermark",
    header = "Whether the watermark tells the truth, with clocks that are set back and forth.",
    description = {
      "Runs 8 shards on 2 MariaDB servers whose clocks differ and are set back and forth, with",
      "quick transactions and such that last for several epochs, and a message every 500 ms. At each",
      "announced time it looks in the announced snapshot for every transaction that its source had",
      "committed before. Needs libfaketime, which .ci/servers installs. Exits 0 when nothing was",
      "missing, 1 when something was."
    })
final class WatermarkCommand implements Callable<Integer> {
  private static final ClockPlan CLOCKS =
      new ClockPlan(Duration.ofSeconds(15), Duration.ofSeconds(4));

  /** Each kind on each server. */
  private static final int STEPS = 10;

  private final Terminal terminal;

  @Mixin private CommonOptions common;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "10000",
      description = "How many pairs of shard and message to check at least. Default: 10000.")
  private long pairs;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder of the servers, emptied first. Default: .tributary-watermark in the checkout.")
  private Path folder;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the numbers to this file.")
  private Path json;

  private WatermarkCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Found by the command line. */
  public static final class Provider implements VerbProvider {
    @Override
    public Object verb(Terminal terminal) {
      return new WatermarkCommand(terminal);
    }
  }

  @Override
  public Integer call() throws Exception {
    BinlogReaderLogs.quieten();
    // With -o json the result alone goes to standard output.
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    Path stack = LocalStackConfig.inCheckout().folder();
    Path library =
        SteppedClock.library(stack.getParent())
            .orElseThrow(
                () ->
                    new CliException(
                        ExitCode.FAILED,
                        "Cannot set clocks: expected libfaketime in %s, found none; .ci/servers installs it"
                            .formatted(stack.resolveSibling(".servers"))));
    Path place =
        folder != null ? folder.toAbsolutePath() : stack.resolveSibling(".tributary-watermark");
    WatermarkResult result;
    try (WatermarkRun run = new WatermarkRun(library, place, screen::line)) {
      result = run.run(pairs, STEPS, CLOCKS);
    }
    if (json != null) {
      Json.write(json, result.json());
    }
    if (common.json()) {
      terminal.line(Json.pretty(result.json()));
    }
    result.violations().forEach(violation -> screen.line(screen.bad("  " + violation)));
    screen.line(
        "  Verdict: %s in %d pairs of shard and message; %d of %d transactions spoken for, %d at times that a clock showed again"
            .formatted(
                result.clean()
                    ? screen.good("0 violations")
                    : screen.bad(
                        "%d transactions missing, %d wrong times"
                            .formatted(result.missing(), result.wrongTimes())),
                result.pairs(),
                result.checked(),
                result.transactions(),
                result.repeatedTimes()));
    return result.clean() ? ExitCode.OK : ExitCode.NO;
  }
}
