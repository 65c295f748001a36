package io.tributary.cli;

import io.tributary.registry.Registry;
import io.tributary.registry.RegistryChange;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.PublishConflictException;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.RegistryUnavailableException;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the verbs that publish the registry, or tell what was published, do so. */
final class RegistryPlace {
  @Mixin private StackOptions stack;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT/PATH",
      description = "Where the registry is published. Default: the local stack's ZooKeeper.")
  private String zooKeeper;

  ZooKeeperAddress address() {
    RegistryOptions where = new RegistryOptions();
    where.zooKeeper = zooKeeper;
    where.stack = stack;
    return where.zooKeeperAddress();
  }

  /**
   * Publishes on top of an expected version.
   *
   * @throws CliException when another version is current; says what it changed
   */
  static Publication publish(
      RegistryStore store, Registry registry, Optional<RegistryVersion> expected) {
    try {
      return store.publish(registry, expected, publisher());
    } catch (PublishConflictException e) {
      throw conflict(store, expected, e);
    }
  }

  /**
   * Another version is current than the one that was expected.
   *
   * @return what to throw; says what the other changed
   */
  static CliException conflict(
      RegistryStore store, Optional<RegistryVersion> expected, PublishConflictException e) {
    List<String> changes = changes(store, expected, e);
    return new CliException(
        ExitCode.FAILED,
        changes.isEmpty()
            ? e.getMessage()
            : "%s; what it changed:%n  %s".formatted(e.getMessage(), String.join("\n  ", changes)),
        e);
  }

  private static List<String> changes(
      RegistryStore store, Optional<RegistryVersion> expected, PublishConflictException conflict) {
    try {
      Optional<Registry> before = expected.flatMap(store::version).map(Publication::registry);
      // Against a version that never was, all of it would seem new.
      return before.isEmpty() && expected.isPresent()
          ? List.of()
          : conflict
              .current()
              .map(found -> lines(RegistryDiff.between(before, found.registry())))
              .orElse(List.of());
    } catch (RegistryUnavailableException e) {
      conflict.addSuppressed(e);
      return List.of();
    }
  }

  static List<String> lines(List<RegistryChange> changes) {
    return changes.stream().map(RegistryChange::toString).toList();
  }

  private static String publisher() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown-host";
    }
    return System.getProperty("user.name") + "@" + host;
  }
}
