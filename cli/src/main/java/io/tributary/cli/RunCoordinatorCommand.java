package io.tributary.cli;

import io.tributary.cli.jobs.JobStarter;
import io.tributary.registry.Registry;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tributary run-coordinator}. */
@Command(
    name = "run-coordinator",
    header = "Submit the coordinator.",
    description = {
      "Submit the coordinator to Flink: the one job that commits all tables of the registry. With",
      "the registry in ZooKeeper, a newer one waits while an older one is at work: Flink restarts it",
      "until the older one has ended, so cancel that one. With --registry-file, and while ZooKeeper",
      "does not answer, the newer one begins at once and deposes the older one, which ends by",
      "itself."
    })
final class RunCoordinatorCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;
  @Mixin private FlinkOptions flink;

  RunCoordinatorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Registry known = registry.load();
    String job =
        new JobStarter(
                known, registry.jobArguments(), Optional.empty(), flink.launcher(registry.stack))
            .coordinator();
    if (common.json()) {
      terminal.line(
          Json.pretty(Json.object().put("tables", known.tables().size()).put("jobId", job)));
    } else {
      terminal.line(
          "Submitted the coordinator of %d tables as Flink job %s"
              .formatted(known.tables().size(), job));
    }
    return ExitCode.OK;
  }
}
