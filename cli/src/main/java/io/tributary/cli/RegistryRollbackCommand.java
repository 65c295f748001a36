package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.plan.RegistryPlan;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary registry rollback}. */
@Command(
    name = "rollback",
    header = "Publish an earlier version of the registry again.",
    description = {
      "Show what publishing an earlier version again would do as 'registry plan' does, ask, and",
      "publish it as the next version: history only grows. What the plan refuses is not published.",
      "Exits 1 when it is refused or the answer is no."
    })
final class RegistryRollbackCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryPlace place;
  @Mixin private PlanOptions options;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "VERSION",
      description = "The version whose content is published again.")
  private long to;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  RegistryRollbackCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    ZooKeeperAddress address = place.address();
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(address)) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      Registry earlier =
          version(store)
              .map(Publication::registry)
              .map(Registry::withoutVersion)
              .orElseThrow(
                  () ->
                      new CliException(
                          ExitCode.FAILED,
                          "Cannot publish version %d of the registry again: expected it at %s, found versions %s"
                              .formatted(to, address, store.versions())));
      Publication current = store.current().orElseThrow();
      List<String> changes =
          RegistryPlace.lines(RegistryDiff.between(Optional.of(current.registry()), earlier));
      if (current.registry().withoutVersion().equals(earlier)) {
        return done(current, false, changes);
      }
      Terminal screen = common.json() ? terminal.besideResult() : terminal;
      screen.line("Going back from version %s to %d changes:".formatted(current.version(), to));
      changes.forEach(change -> screen.line("  " + change));
      RegistryPlan plan =
          options
              .plan(Optional.of(current.registry()), earlier)
              .with(new SourceGuard(store, RegistryPlaces.NONE).refusals(earlier));
      if (!PlanView.confirmed(terminal, common, plan, yes)) {
        return ExitCode.NO;
      }
      // A job may have begun to read a shard while the question stood.
      new SourceGuard(store, RegistryPlaces.NONE)
          .check("version " + to + " of the registry again", earlier);
      return done(
          RegistryPlace.publish(store, earlier, Optional.of(current.version())), true, changes);
    }
  }

  private Optional<Publication> version(RegistryStore store) {
    return to < 1 ? Optional.empty() : store.version(new RegistryVersion(to));
  }

  private static String json(Publication publication, boolean published, List<String> changes) {
    ObjectNode node =
        Json.object().put("version", publication.version().value()).put("published", published);
    changes.forEach(node.putArray("changes")::add);
    return Json.pretty(node);
  }

  private int done(Publication publication, boolean published, List<String> changes) {
    terminal.line(
        common.json()
            ? json(publication, published, changes)
            : published
                ? "Published version %s".formatted(publication.version())
                : "Nothing to publish: version %s says the same as %d"
                    .formatted(publication.version(), to));
    return ExitCode.OK;
  }
}
