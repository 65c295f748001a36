package io.tributary.loadtests.fuzz;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.CommonOptions;
import io.tributary.cli.ExitCode;
import io.tributary.cli.Json;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerbProvider;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary fuzz}. */
@Command(
    name = "fuzz",
    header = "Random tables, values and changes against the whole pipeline.",
    description = {
      "Make random tables (types, character sets, keys, names) on a MariaDB of its own, change them",
      "at random in overlapping transactions while they are copied and afterwards, end every",
      "TaskManager in the midst of it, submit some jobs anew, and compare every row in the end. The",
      "same seed makes the same tables and statements. Exits 0 when nothing differs, 1 when",
      "something does; what does is printed with the command that makes it again."
    })
final class FuzzCommand implements Callable<Integer> {
  private static final int AT_ONCE = 20;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

  private final Terminal terminal;

  @Mixin private CommonOptions common;

  @Option(
      names = "--tables",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many tables to make. Default: 20.")
  private int tables;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Makes tables and statements. Default: 1.")
  private long seed;

  @Option(
      names = "--first",
      paramLabel = "N",
      defaultValue = "0",
      description = "Index of the first table of the seed to make. Default: 0.")
  private int first;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder of the servers, emptied first. Default: .tributary-fuzz in the checkout.")
  private Path folder;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the numbers to this file.")
  private Path json;

  private FuzzCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Found by the command line. */
  public static final class Provider implements VerbProvider {
    @Override
    public Object verb(Terminal terminal) {
      return new FuzzCommand(terminal);
    }
  }

  @Override
  public Integer call() throws Exception {
    BinlogReaderLogs.quieten();
    // With -o json the result alone goes to standard output.
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    FuzzRun run = new FuzzRun(seed, first, tables, AT_ONCE);
    Path place =
        folder != null
            ? folder.toAbsolutePath()
            : LocalStackConfig.inCheckout().folder().resolveSibling(".tributary-fuzz");
    FuzzResult result;
    try (LocalStack stack = stack(place, screen::passing)) {
      screen.endPassing();
      result = run.run(stack.endpoints(), place.resolve("fuzz"), progress(screen));
    }
    if (json != null) {
      Json.write(json, json(result));
    }
    if (common.json()) {
      terminal.line(Json.pretty(json(result)));
    }
    show(screen, result);
    return result.clean() ? ExitCode.OK : ExitCode.NO;
  }

  private Consumer<FuzzTally> progress(Terminal screen) {
    int[] shown = {0};
    return tally -> {
      for (FuzzResult.Failure failure :
          tally.failures().subList(shown[0], tally.failures().size())) {
        screen.line(screen.bad(failure.toString()));
        shown[0]++;
      }
      screen.line(
          String.format(
              Locale.ROOT,
              "  %d of %d tables, %d with differences, %.0f s",
              tally.tables(),
              tables,
              tally.failures().size(),
              tally.seconds()));
    };
  }

  /** What a run needs beside its own Flink. */
  static LocalStack stack(Path folder, Consumer<String> progress) {
    return LocalStack.start(
        LocalStackConfig.in(folder)
            .withOnly(Service.MARIADB, Service.KAFKA, Service.METASTORE)
            .withMariaDbServers(1)
            .withWipe(true)
            .withStartTimeout(START_TIMEOUT)
            // Neither the server's zone nor its modes may show in a value.
            .withMariaDbOptions("--default-time-zone=-05:00"),
        progress);
  }

  private static ObjectNode json(FuzzResult result) {
    ObjectNode node =
        Json.object()
            .put("seed", result.seed())
            .put("first", result.first())
            .put("tables", result.tables())
            .put("columns", result.columns())
            .put("refusedByName", result.refusals())
            .put("statements", result.statements())
            .put("statementsRefusedByServer", result.refusedStatements())
            .put("rowsCompared", result.rows())
            .put("killedWhileCopied", result.copying())
            .put("killedLater", result.following())
            .put("restartedFromCheckpoint", result.fromCheckpoint())
            .put("restartedWithoutState", result.withoutState())
            .put("differing", result.failures().size())
            .put("seconds", Math.round(result.seconds()));
    ArrayNode failures = node.putArray("failures");
    for (FuzzResult.Failure failure : result.failures()) {
      failures
          .addObject()
          .put("table", failure.table())
          .put("reason", failure.reason())
          .put("definition", failure.definition())
          .put("replay", failure.replay());
    }
    return node;
  }

  private static void show(Terminal screen, FuzzResult result) {
    screen.line("");
    screen.line(
        "  Verdict: "
            + (result.clean()
                ? screen.good("0 differences in " + result.tables() + " tables")
                : screen.bad(
                    "%d of %d tables differ"
                        .formatted(result.failures().size(), result.tables()))));
    screen.line(
        "  seed %d, tables %d to %d; %d columns, %d statements (and %d that the server refused), %d rows compared"
            .formatted(
                result.seed(),
                result.first(),
                result.first() + result.tables() - 1,
                result.columns(),
                result.statements(),
                result.refusedStatements(),
                result.rows()));
    screen.line(
        "  %d tables refused by name as they must be; TaskManagers ended under %d tables while copied and %d later; %d jobs submitted anew with state, %d without; %.0f s"
            .formatted(
                result.refusals(),
                result.copying(),
                result.following(),
                result.fromCheckpoint(),
                result.withoutState(),
                result.seconds()));
  }
}
