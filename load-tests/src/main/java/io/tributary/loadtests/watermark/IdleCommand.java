package io.tributary.loadtests.watermark;

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

/** {@code tributary idle}. */
@Command(
    name = "idle",
    header = "What idle sources cost.",
    description = {
      "Runs 4 groups that each read 4 MariaDB servers, and a coordinator, all in this process, and",
      "writes nothing. Measures the processor time of the process, of its threads by what they do,",
      "and of the servers, and how long the watermark ever stood."
    })
final class IdleCommand implements Callable<Integer> {
  private static final Duration WINDOW = Duration.ofSeconds(60);
  private static final Duration WARM_UP = Duration.ofSeconds(60);

  private final Terminal terminal;

  @Mixin private CommonOptions common;

  @Option(
      names = "--windows",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often to measure for 60 s; medians are told. Default: 3.")
  private int windows;

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

  private IdleCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Found by the command line. */
  public static final class Provider implements VerbProvider {
    @Override
    public Object verb(Terminal terminal) {
      return new IdleCommand(terminal);
    }
  }

  @Override
  public Integer call() throws Exception {
    BinlogReaderLogs.quieten();
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    Path place =
        folder != null
            ? folder.toAbsolutePath()
            : LocalStackConfig.inCheckout().folder().resolveSibling(".tributary-watermark");
    IdleResult result;
    try (IdleRun run = new IdleRun(place, screen::line)) {
      result = run.run(windows, WINDOW, WARM_UP);
    }
    if (json != null) {
      Json.write(json, result.json());
    }
    terminal.line(Json.pretty(result.json()));
    return ExitCode.OK;
  }
}
