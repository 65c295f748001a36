package io.tributary.cli;

import io.tributary.cli.status.FlinkJobs;
import io.tributary.cli.status.StatusCollector;
import io.tributary.cli.status.TableReport;
import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.FlinkRest;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary status}. */
@Command(
    name = "status",
    header = "Show how the tables and their shards stand.",
    description = {
      "Show per table the round, the snapshot, the watermark and its lag, and per shard the group,",
      "phase, progress of the initial snapshot, watermark, lag, epoch and last error. Exits 1",
      "when a table is not claimed, anything is halted, or somebody does not answer."
    })
final class StatusCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The table. Default: all of the registry.")
  private String table;

  @Option(
      names = "--flink",
      paramLabel = "URL",
      description = "Flink's REST address. Default: the local stack's, if it runs.")
  private URI flink;

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Registry known = registry.load();
    List<TableSpec> tables =
        table == null ? known.tables() : List.of(TableChoice.of(known, Optional.of(table)));
    Optional<FlinkJobs> jobs =
        Optional.ofNullable(flink)
            .map(FlinkRest::new)
            .or(() -> registry.stack.running().map(AttachedStack::flinkRest))
            .map(FlinkJobs::new);
    List<TableReport> reports = new ArrayList<>();
    for (TableSpec spec : tables) {
      try (LakeTable lake = LakeTable.open(known.catalog(), spec.name());
          CommitStatusReader statuses = AwaitCommand.statuses(known, spec)) {
        reports.add(
            new StatusCollector(known, spec, Clock.systemUTC())
                .collect(lake::load, () -> statuses.lastStatus(spec.name()), jobs));
      }
    }
    if (common.json()) {
      terminal.line(Json.pretty(StatusView.json(reports)));
    } else {
      for (int i = 0; i < reports.size(); i++) {
        if (i > 0) {
          terminal.line("");
        }
        StatusView.text(terminal, reports.get(i));
      }
    }
    return reports.stream().allMatch(TableReport::healthy) ? ExitCode.OK : ExitCode.NO;
  }
}
