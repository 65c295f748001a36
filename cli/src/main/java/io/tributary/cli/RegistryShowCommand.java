package io.tributary.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.RegistryCodec;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary registry show}. */
@Command(
    name = "show",
    header = "Show the published registry.",
    description = "Show the published registry; exits 1 when there is none.")
final class RegistryShowCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryPlace place;

  @Option(
      names = "--version",
      paramLabel = "N",
      description = "An earlier version. Default: the current one.")
  private Long version;

  RegistryShowCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws JsonProcessingException {
    ZooKeeperAddress address = place.address();
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(address)) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      Optional<Publication> found =
          version == null ? store.current() : store.version(new RegistryVersion(version));
      if (found.isEmpty()) {
        throw new CliException(
            ExitCode.NO,
            "Cannot show the registry: expected %s at %s, found none"
                .formatted(version == null ? "a published one" : "version " + version, address));
      }
      Publication publication = found.get();
      if (common.json()) {
        ObjectNode node = RegistryView.json(publication);
        node.set(
            "registry", new ObjectMapper().readTree(RegistryCodec.encode(publication.registry())));
        terminal.line(Json.pretty(node));
      } else {
        terminal.line(
            "Version %s, published by %s at %s"
                .formatted(
                    publication.version(), publication.publishedBy(), publication.publishedAt()));
        RegistryView.text(terminal, publication.registry());
      }
      return ExitCode.OK;
    }
  }
}
