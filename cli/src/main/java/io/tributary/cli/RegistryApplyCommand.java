package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
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
    header = "Check a registry file and publish it.",
    description = {
      "Check a registry file, publish it to ZooKeeper as the next version and tell what changed.",
      "Publishing the same content again changes nothing. Of two who publish at once one is",
      "refused, and told what the other changed. Another database, table or server under the number",
      "of a shard that has started is refused: its rows would be lost."
    })
final class RegistryApplyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryPlace place;

  @Parameters(paramLabel = "FILE", description = "The registry file (YAML).")
  private Path file;

  @Option(
      names = "--expect",
      paramLabel = "VERSION",
      description =
          "Publish only when this is the current version (0: when none is). Default: the version "
              + "that is current when the verb starts.")
  private Long expect;

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
        return done(current.get(), false, List.of(), address);
      }
      new SourceGuard(store, placed.places()).check(file.toString(), registry);
      Optional<RegistryVersion> expected =
          expect == null
              ? current.map(Publication::version)
              : expect == 0 ? Optional.empty() : Optional.of(new RegistryVersion(expect));
      // Read before it is published: what is done then does not fail any more.
      Optional<Registry> before = expected.flatMap(store::version).map(Publication::registry);
      Publication published = RegistryPlace.publish(store, registry, expected);
      return done(
          published,
          true,
          RegistryPlace.lines(RegistryDiff.between(before, published.registry())),
          address);
    }
  }

  private int done(
      Publication publication, boolean published, List<String> changes, ZooKeeperAddress address) {
    if (common.json()) {
      ObjectNode node =
          Json.object()
              .put("version", publication.version().value())
              .put("published", published)
              .put("shards", publication.registry().shards().size());
      changes.forEach(node.putArray("changes")::add);
      terminal.line(Json.pretty(node));
    } else {
      changes.forEach(change -> terminal.line("  " + change));
      terminal.line(
          published
              ? "Published version %s at %s".formatted(publication.version(), address)
              : "Nothing to publish: version %s at %s says the same"
                  .formatted(publication.version(), address));
    }
    return ExitCode.OK;
  }
}
