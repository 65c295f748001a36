package io.tributary.cli;

import io.tributary.protocol.GroupName;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import java.util.ArrayList;
import java.util.List;
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
      "Submit the ingest job of one shard group to Flink. It continues where the table stands, or",
      "begins with an initial snapshot."
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

  RunGroupCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Registry known = registry.load();
    // Refuses an unknown group here, not in a job's log.
    GroupSpec spec = known.group(new GroupName(group));
    List<String> arguments = new ArrayList<>(registry.jobArguments());
    arguments.addAll(List.of("--group", group));
    if (takeOver) {
      arguments.add("--take-over");
    }
    String job = flink.submit(registry.stack, "group " + group, JobJar.ingest(), arguments);
    if (common.json()) {
      terminal.line(
          Json.pretty(
              Json.object()
                  .put("group", group)
                  .put("table", spec.table().toString())
                  .put("jobId", job)));
    } else {
      terminal.line(
          "Submitted group %s of table %s as Flink job %s".formatted(group, spec.table(), job));
    }
    return ExitCode.OK;
  }
}
