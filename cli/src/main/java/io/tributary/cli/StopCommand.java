package io.tributary.cli;

import io.tributary.cli.jobs.Fleet;
import io.tributary.cli.jobs.JobOutcome;
import io.tributary.protocol.GroupName;
import io.tributary.registry.Registry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tributary stop}. */
@Command(
    name = "stop",
    header = "Stop jobs, groups with a savepoint.",
    description = {
      "Stop groups' jobs, each with a savepoint that run-all and run-group go on from where it is the",
      "newest, and the coordinator, which keeps no state and needs none. What does not run is left",
      "alone. Exits 3 when a job could not be stopped."
    })
final class StopCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;
  @Mixin private ClusterOptions cluster;

  @Parameters(arity = "0..*", paramLabel = "GROUP", description = "Groups of the registry.")
  private List<String> groups = List.of();

  @Option(names = "--coordinator", description = "Stop the coordinator.")
  private boolean coordinator;

  @Option(names = "--all", description = "Stop every group, then the coordinator.")
  private boolean all;

  @Option(
      names = "--cancel",
      description = "Without savepoints: the groups go on from the table, and no row is lost.")
  private boolean cancel;

  @Option(
      names = "--savepoint-folder",
      paramLabel = "URI",
      description = "Where savepoints go. Default: where the cluster's configuration says.")
  private String folder;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "5 min",
      description = "How long a job may take to end. Default: ${DEFAULT-VALUE}.")
  private Duration timeout;

  StopCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (all == (coordinator || !groups.isEmpty())) {
      throw new CliException(
          ExitCode.USAGE,
          "Cannot stop jobs: expected groups, --coordinator, or --all alone, found %s"
              .formatted(all ? "--all with others" : "none of them"));
    }
    Registry known = registry.load();
    List<GroupName> named =
        groups.stream().map(GroupName::new).map(name -> known.group(name).name()).toList();
    List<JobOutcome> outcomes = new ArrayList<>();
    try (PublishedPlace place = PublishedPlace.of(registry)) {
      Fleet fleet =
          new Fleet(
              known, cluster.rest(registry.stack), place.connection(), timeout, Clock.systemUTC());
      for (GroupName group : all ? fleet.groups() : named) {
        terminal.passing("group " + group);
        outcomes.add(cancel ? fleet.cancel(group) : fleet.stop(group, Optional.ofNullable(folder)));
      }
      if (all || coordinator) {
        terminal.passing("the coordinator");
        outcomes.add(fleet.stopCoordinator());
      }
    }
    return JobsView.show(terminal, common, outcomes);
  }
}
