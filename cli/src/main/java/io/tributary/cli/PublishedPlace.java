package io.tributary.cli;

import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.util.Optional;

/** Where the registry is published, open for as long as a verb works; nowhere when it is a file. */
record PublishedPlace(Optional<ZooKeeperConnection> connection) implements AutoCloseable {
  static PublishedPlace of(RegistryOptions registry) {
    return new PublishedPlace(
        registry.registryFile != null
            ? Optional.empty()
            : Optional.of(ZooKeeperConnection.open(registry.zooKeeperAddress())));
  }

  @Override
  public void close() {
    connection.ifPresent(ZooKeeperConnection::close);
  }
}
