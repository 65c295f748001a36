package io.tributary.cli;

import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
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
      "Check a registry file and publish it to ZooKeeper as the next version. Publishing the same",
      "content again changes nothing."
    })
final class RegistryApplyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private StackOptions stack;

  @Parameters(paramLabel = "FILE", description = "The registry file (YAML).")
  private Path file;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT/PATH",
      description = "Where to publish. Default: the local stack's ZooKeeper.")
  private String zooKeeper;

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
    Registry registry = RegistryParser.parseFile(file);
    RegistryOptions where = new RegistryOptions();
    where.zooKeeper = zooKeeper;
    where.stack = stack;
    ZooKeeperAddress address = where.zooKeeperAddress();
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(address)) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      Optional<Publication> current = store.current();
      if (expect == null
          && current.isPresent()
          && current.get().registry().withoutVersion().equals(registry)) {
        return done(current.get(), false, address);
      }
      Optional<RegistryVersion> expected =
          expect == null
              ? current.map(Publication::version)
              : expect == 0 ? Optional.empty() : Optional.of(new RegistryVersion(expect));
      return done(store.publish(registry, expected, publisher()), true, address);
    }
  }

  private int done(Publication publication, boolean published, ZooKeeperAddress address) {
    if (common.json()) {
      terminal.line(
          Json.pretty(
              Json.object()
                  .put("version", publication.version().value())
                  .put("published", published)
                  .put("shards", publication.registry().shards().size())));
    } else {
      terminal.line(
          published
              ? "Published version %s at %s".formatted(publication.version(), address)
              : "Nothing to publish: version %s at %s says the same"
                  .formatted(publication.version(), address));
    }
    return ExitCode.OK;
  }

  static String publisher() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown-host";
    }
    return System.getProperty("user.name") + "@" + host;
  }
}
