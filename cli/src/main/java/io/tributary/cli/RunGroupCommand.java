package io.tributary.cli;

import io.tributary.cli.jobs.JobStarter;
import io.tributary.cli.jobs.StartingPoint;
import io.tributary.protocol.GroupName;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tributary run-group}. */
@Command(
    name = "run-group",
    header = "Submit the ingest job of one shard group.",
    description = {
      "Submit the ingest job of one shard group to Flink. It goes on from the savepoint that",
      "'stop' left, where that is the newest, else from where the table stands, or begins with an",
      "initial snapshot."
    })
final class RunGroupCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;
  @Mixin private FlinkOptions flink;

  @Parameters(paramLabel = "GROUP", description = "A group of the registry.")
  private String group;

  @Option(
      names = "--take-over",
      description = "Start although a job of the group is running: that one ends.")
  private boolean takeOver;

  @Option(
      names = "--from-table",
      description = "Use no savepoint that 'stop' left: start from what the table remembers.")
  private boolean fromTable;

  RunGroupCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Registry known = registry.load();
    // Refuses an unknown group here, not in a job's log.
    GroupSpec spec = known.group(new GroupName(group));
    StartingPoint from;
    String job;
    try (PublishedPlace place = PublishedPlace.of(registry)) {
      JobStarter starter =
          new JobStarter(
              known, registry.jobArguments(), place.connection(), flink.launcher(registry.stack));
      from =
          flink.savepoint != null
              ? new StartingPoint(Optional.empty(), "from savepoint " + flink.savepoint)
              : fromTable
                  ? StartingPoint.ofTable("as asked for")
                  : starter.startingPoint(spec.name());
      job = starter.group(spec.name(), from, takeOver);
    }
    if (common.json()) {
      terminal.line(
          Json.pretty(
              Json.object()
                  .put("group", group)
                  .put("table", spec.table().toString())
                  .put("jobId", job)
                  .put("from", from.why())));
    } else {
      terminal.line(
          "Submitted group %s of table %s as Flink job %s, %s"
              .formatted(group, spec.table(), job, from.why()));
    }
    return ExitCode.OK;
  }
}
