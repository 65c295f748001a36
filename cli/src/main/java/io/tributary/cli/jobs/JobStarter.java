package io.tributary.cli.jobs;

import io.tributary.cli.JobJar;
import io.tributary.cli.LakeTable;
import io.tributary.cli.plan.JobStep;
import io.tributary.cli.plan.RegistryPlanner;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Counters;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.Savepoint;
import io.tributary.registry.zookeeper.Savepoints;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Submits jobs, each from where it should go on. */
public final class JobStarter {
  private final Registry registry;
  private final List<String> registryArguments;
  private final Optional<ZooKeeperConnection> zooKeeper;
  private final JobLauncher launcher;

  /**
   * @param registryArguments where a job finds the same registry
   * @param zooKeeper where it is published; absent when it is a file, and then no savepoint is kept
   */
  public JobStarter(
      Registry registry,
      List<String> registryArguments,
      Optional<ZooKeeperConnection> zooKeeper,
      JobLauncher launcher) {
    this.registry = registry;
    this.registryArguments = List.copyOf(registryArguments);
    this.zooKeeper = zooKeeper;
    this.launcher = launcher;
  }

  /**
   * @return the Flink job's id
   * @throws io.tributary.cli.CliException when it is refused
   */
  public String coordinator() {
    return launcher.launch("the coordinator", List.of(), JobJar.coordinator(), registryArguments);
  }

  /**
   * @param takeOver also when a job of the group is running: that one ends
   * @return the Flink job's id
   * @throws io.tributary.cli.CliException when it is refused
   */
  public String group(GroupName group, StartingPoint from, boolean takeOver) {
    List<String> arguments = new ArrayList<>(registryArguments);
    arguments.addAll(List.of("--group", group.value()));
    if (takeOver) {
      arguments.add("--take-over");
    }
    return launcher.launch(
        "group " + group,
        from.savepoint().map(savepoint -> List.of("-s", savepoint.path())).orElse(List.of()),
        JobJar.ingest(),
        arguments);
  }

  /** Where the group's job should go on. Asks the table only when there is a savepoint. */
  public StartingPoint startingPoint(GroupName name) {
    if (zooKeeper.isEmpty()) {
      return StartingPoint.ofTable("savepoints are kept with a published registry only");
    }
    GroupSpec group = registry.group(name);
    Optional<Savepoint> kept = new Savepoints(zooKeeper.get()).last(group.table(), name);
    if (kept.isEmpty()) {
      return StartingPoint.of(kept, 0, Optional.empty(), Optional.empty());
    }
    Optional<GroupState> state;
    try (LakeTable lake = LakeTable.open(registry.catalog(), group.table())) {
      state = lake.state().flatMap(found -> found.group(name));
    }
    return StartingPoint.of(
        kept,
        new Counters(zooKeeper.get()).lastIncarnation(group.table(), name),
        state,
        since(kept.get(), name));
  }

  private Optional<JobStep.Kind> since(Savepoint kept, GroupName name) {
    return kept.registryVersion() < 1
        ? Optional.empty()
        : new RegistryStore(zooKeeper.orElseThrow(), Clock.systemUTC())
            .version(new RegistryVersion(kept.registryVersion()))
            .map(Publication::registry)
            .flatMap(then -> RegistryPlanner.step(then, registry, name));
  }
}
