package io.tributary.loadtests.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.CliException;
import io.tributary.cli.CommonOptions;
import io.tributary.cli.ExitCode;
import io.tributary.cli.Json;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerbProvider;
import io.tributary.loadtests.bench.Machine;
import io.tributary.localstack.LocalStackConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary fleet}. */
@Command(
    name = "fleet",
    header = "Many groups on one cluster: whether they work, and what they cost.",
    description = {
      "Starts a local stack of its own, brings up every group with run-all, waits until every shard",
      "counts in the watermark, changes rows for a minute, measures what the jobs take while nothing",
      "is written, submits groups anew one after the other, and compares every row. Exits 3 when any",
      "of it does not succeed; figures decide nothing."
    })
final class FleetCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "128",
      description = "Shards, a multiple of the groups. Default: ${DEFAULT-VALUE}.")
  private int shards;

  @Option(
      names = "--groups",
      paramLabel = "N",
      defaultValue = "16",
      description = "Groups, each within one server. Default: ${DEFAULT-VALUE}.")
  private int groups;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "4",
      description = "MariaDB servers. Default: ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "200",
      description = "Rows of a shard before the copy. Default: ${DEFAULT-VALUE}.")
  private int rows;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "DURATION",
      defaultValue = "10 s",
      description = "Of the groups and the coordinator. Default: ${DEFAULT-VALUE}.")
  private Duration checkpointInterval;

  @Option(
      names = "--resubmissions",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many times a group is submitted anew. Default: ${DEFAULT-VALUE}.")
  private int resubmissions;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Folder of the stack, emptied first. Default: .tributary-fleet in the checkout.")
  private Path folder;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the numbers to this file.")
  private Path json;

  private FleetCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Found by the command line. */
  public static final class Provider implements VerbProvider {
    @Override
    public Object verb(Terminal terminal) {
      return new FleetCommand(terminal);
    }
  }

  @Override
  public Integer call() throws Exception {
    FleetSize size;
    try {
      size = new FleetSize(shards, groups, servers, rows, checkpointInterval, resubmissions);
    } catch (IllegalArgumentException e) {
      throw new CliException(ExitCode.USAGE, e.getMessage(), e);
    }
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    Machine machine = Machine.ofThis();
    screen.line("  " + machine);
    Path place =
        folder != null
            ? folder.toAbsolutePath()
            : LocalStackConfig.inCheckout().folder().resolveSibling(".tributary-fleet");
    FleetResult result;
    try (FleetRun run = new FleetRun(size, place, screen::line)) {
      result = run.run();
    }
    ObjectNode node = result.json();
    node.set("machine", machine.json());
    node.set("versions", Machine.versions());
    if (json != null) {
      Json.write(json, node);
    }
    if (common.json()) {
      terminal.line(Json.pretty(node));
    }
    screen.line("");
    result.lines().forEach(line -> screen.line("  " + line));
    return ExitCode.OK;
  }
}
