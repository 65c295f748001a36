package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.plan.RegistryPlan;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.PublishConflictException;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tributary registry apply}. */
@Command(
    name = "apply",
    header = "Check a registry file, plan it and publish it.",
    description = {
      "Check a registry file, show what publishing it will do as 'registry plan' does, ask, and",
      "publish it to ZooKeeper as the next version. An edit that the plan refuses is not published.",
      "Publishing the same content again changes nothing. Of two who publish at once one is",
      "refused, and told what the other changed. Another database, table or server under the number",
      "of a shard that has started is refused: its rows would be lost. Exits 1 when the edit is",
      "refused or the answer is no."
    })
final class RegistryApplyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryPlace place;
  @Mixin private PlanOptions options;

  @Parameters(paramLabel = "FILE", description = "The registry file (YAML).")
  private Path file;

  @Option(
      names = "--expect",
      paramLabel = "VERSION",
      description =
          "Publish only when this is the current version (0: when none is). Default: the version "
              + "that is current when the verb starts.")
  private Long expect;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  RegistryApplyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    RegistryParser.Placed placed = RegistryParser.readFile(file);
    Registry registry = placed.registry();
    ZooKeeperAddress address = place.address();
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(address)) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      Optional<Publication> current = store.current();
      if (expect == null
          && current.isPresent()
          && current.get().registry().withoutVersion().equals(registry)) {
        return done(current.get(), false, List.of(), address, Optional.empty());
      }
      Optional<RegistryVersion> expected =
          expect == null
              ? current.map(Publication::version)
              : expect == 0 ? Optional.empty() : Optional.of(new RegistryVersion(expect));
      if (!current.map(Publication::version).equals(expected)) {
        // No plan is of a version that is not there to be edited.
        throw RegistryPlace.conflict(
            store, expected, new PublishConflictException(expected, current));
      }
      Optional<Registry> before = current.map(Publication::registry);
      RegistryPlan plan =
          options
              .plan(before, registry)
              .with(new SourceGuard(store, placed.places()).refusals(registry));
      if (!PlanView.confirmed(terminal, common, plan, yes)) {
        return ExitCode.NO;
      }
      // A job may have begun to read a shard while the question stood.
      new SourceGuard(store, placed.places()).check(file.toString(), registry);
      return done(
          RegistryPlace.publish(store, registry, expected),
          true,
          RegistryPlace.lines(RegistryDiff.between(before, registry)),
          address,
          Optional.of(plan));
    }
  }

  private int done(
      Publication publication,
      boolean published,
      List<String> changes,
      ZooKeeperAddress address,
      Optional<RegistryPlan> plan) {
    if (common.json()) {
      ObjectNode node =
          Json.object()
              .put("version", publication.version().value())
              .put("published", published)
              .put("shards", publication.registry().shards().size());
      changes.forEach(node.putArray("changes")::add);
      plan.ifPresent(shown -> node.set("plan", PlanView.json(shown)));
      terminal.line(Json.pretty(node));
    } else {
      terminal.line(
          published
              ? "Published version %s at %s".formatted(publication.version(), address)
              : "Nothing to publish: version %s at %s says the same"
                  .formatted(publication.version(), address));
    }
    return ExitCode.OK;
  }
}
