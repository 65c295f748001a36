package io.tributary.cli;

import io.tributary.cli.jobs.Fleet;
import io.tributary.cli.jobs.JobOutcome;
import io.tributary.cli.jobs.JobStarter;
import io.tributary.protocol.GroupName;
import io.tributary.registry.Registry;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary run-all}. */
@Command(
    name = "run-all",
    header = "Submit every job that does not run.",
    description = {
      "Submit the coordinator and each group's job to Flink where the cluster does not run it. A job",
      "that runs is left alone, but for a coordinator that has no part for a table of the registry:",
      "it is cancelled and submitted again. A group goes on from the savepoint that 'stop' left, where",
      "that is the newest, else from what the table remembers. May be run again at any time. Exits 3",
      "when a job could not be started."
    })
final class RunAllCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;
  @Mixin private ClusterOptions cluster;
  @Mixin private LaunchOptions launch;

  @Option(
      names = "--from-table",
      description = "Use no savepoint: start every group from what the table remembers.")
  private boolean fromTable;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "5 min",
      description = "How long a job may take to end. Default: ${DEFAULT-VALUE}.")
  private Duration timeout;

  RunAllCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if ((cluster.flink == null) != (launch.flinkHome == null)) {
      throw new CliException(
          ExitCode.USAGE,
          "Cannot bring jobs up: expected --flink and --flink-home together, or none of them for the local stack, found one: jobs would be looked for on one cluster and submitted to another");
    }
    Registry known = registry.load();
    List<JobOutcome> outcomes = new ArrayList<>();
    try (PublishedPlace place = PublishedPlace.of(registry)) {
      Optional<ZooKeeperConnection> zooKeeper = place.connection();
      Fleet fleet =
          new Fleet(known, cluster.rest(registry.stack), zooKeeper, timeout, Clock.systemUTC());
      JobStarter starter =
          new JobStarter(
              known,
              registry.jobArguments(),
              zooKeeper,
              launch.launcher(registry.stack, Optional.ofNullable(cluster.flink)));
      terminal.passing("the coordinator");
      outcomes.add(fleet.bringUpCoordinator(starter));
      for (GroupName group : fleet.groups()) {
        terminal.passing("group " + group);
        outcomes.add(fleet.bringUp(group, starter, fromTable));
      }
    }
    return JobsView.show(terminal, common, outcomes);
  }
}
