package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.CliException;
import io.tributary.cli.CommonOptions;
import io.tributary.cli.ExitCode;
import io.tributary.cli.Json;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerbProvider;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tributary bench}. */
@Command(
    name = "bench",
    header = "Measures rounds against real servers.",
    description = {
      "Measures on a Kafka broker and a Hive metastore of its own. commit: what a round costs, against",
      "as many committers that know nothing of each other. growth: whether rounds cost the same after",
      "thousands of them. Prints the machine, every side's settings, medians and spread; exits 0",
      "whatever the figures are. Stop other work first: they are of this machine, now."
    })
final class BenchCommand implements Callable<Integer> {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

  /** What can be measured. */
  enum Name {
    commit,
    growth
  }

  /** How much of it. */
  enum Size {
    full,
    quick,
    tiny
  }

  private final Terminal terminal;

  @Mixin private CommonOptions common;

  @Parameters(paramLabel = "NAME", description = "What to measure: ${COMPLETION-CANDIDATES}.")
  private Name name;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the result to this file, and a plot (.svg) beside it.")
  private Path json;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "full",
      description =
          "${COMPLETION-CANDIDATES}: quick measures less often, tiny only shows that it works. Default: full.")
  private Size size;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder of the servers, emptied first. Default: .tributary-bench in the checkout.")
  private Path folder;

  private BenchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Found by the command line. */
  public static final class Provider implements VerbProvider {
    @Override
    public Object verb(Terminal terminal) {
      return new BenchCommand(terminal);
    }
  }

  @Override
  public Integer call() throws Exception {
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    Machine machine = Machine.ofThis();
    screen.line("  " + machine);
    Instant started = Instant.now();
    double loadBefore = Machine.load();
    Path place =
        folder != null
            ? folder.toAbsolutePath()
            : LocalStackConfig.inCheckout().folder().resolveSibling(".tributary-bench");
    BenchResult result;
    try (LocalStack stack =
        LocalStack.start(
            LocalStackConfig.in(place)
                .withOnly(Service.KAFKA, Service.METASTORE)
                .withWipe(true)
                .withStartTimeout(START_TIMEOUT),
            screen::passing)) {
      screen.endPassing();
      result = run(stack, screen::note);
    }
    ObjectNode node =
        Json.object()
            .put("bench", name.name())
            .put("size", size.name())
            .put("startedAt", started.toString())
            .put("seconds", Duration.between(started, Instant.now()).toSeconds());
    ObjectNode machineNode = machine.json();
    machineNode.put("loadBefore", loadBefore).put("loadAfter", Machine.load());
    node.set("machine", machineNode);
    node.set("versions", Machine.versions());
    node.set("settings", result.settings());
    node.set("runs", result.runs());
    node.set("figures", result.figures());
    if (json != null) {
      Json.write(json, node);
      Path plot =
          json.resolveSibling(json.getFileName().toString().replaceFirst("\\.json$", "") + ".svg");
      write(plot, result.plot().svg());
    }
    if (common.json()) {
      terminal.line(Json.pretty(node));
    }
    screen.line("");
    screen.line("  settings  " + result.settings());
    result.lines().forEach(line -> screen.line("  " + line));
    screen.line("  figures   " + result.figures());
    return ExitCode.OK;
  }

  private BenchResult run(LocalStack stack, Consumer<String> progress)
      throws IOException, InterruptedException {
    return switch (name) {
      case commit -> new CommitBench(stack.endpoints(), commitSize(), progress).run();
      case growth -> new GrowthBench(stack.endpoints(), growthSize(), progress).run();
    };
  }

  private CommitBench.Size commitSize() {
    return switch (size) {
      case full -> CommitBench.Size.FULL;
      case quick -> CommitBench.Size.QUICK;
      case tiny -> CommitBench.Size.TINY;
    };
  }

  private GrowthBench.Size growthSize() {
    return switch (size) {
      case full -> GrowthBench.Size.FULL;
      case quick -> GrowthBench.Size.QUICK;
      case tiny -> GrowthBench.Size.TINY;
    };
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot write %s: expected a writable file, found %s".formatted(file, e.getMessage()),
          e);
    }
  }
}
