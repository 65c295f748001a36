package io.tributary.cli;

import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the registry is: a file, ZooKeeper, or the running local stack's ZooKeeper. */
final class RegistryOptions {
  @Option(
      names = "--registry-file",
      paramLabel = "FILE",
      description = "Read the registry from this file.")
  Path registryFile;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT/PATH",
      description =
          "Read the registry from ZooKeeper. Default, without --registry-file: that of the "
              + "local stack that runs.")
  String zooKeeper;

  @Mixin StackOptions stack;

  /** The registry that the options name. */
  Registry load() {
    return load(ZooKeeperConnection.DEFAULT_PATIENCE);
  }

  /**
   * The same.
   *
   * @param patience how long to wait for ZooKeeper at most
   */
  Registry load(Duration patience) {
    checkOne();
    if (registryFile != null) {
      return RegistryParser.parseFile(registryFile);
    }
    ZooKeeperAddress address = zooKeeperAddress();
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(address, ZooKeeperConnection.DEFAULT_SESSION_TIMEOUT, patience)) {
      return new RegistryStore(connection, Clock.systemUTC())
          .current()
          .orElseThrow(
              () ->
                  new CliException(
                      ExitCode.FAILED,
                      "Cannot read the registry: expected a published one at %s, found none; publish it with: tributary registry apply FILE"
                          .formatted(address)))
          .registry();
    }
  }

  /** What a job is given so that it reads the same registry. */
  List<String> jobArguments() {
    checkOne();
    return registryFile != null
        ? List.of("--registry-file", registryFile.toAbsolutePath().toString())
        : List.of("--zookeeper", zooKeeperAddress().toString());
  }

  ZooKeeperAddress zooKeeperAddress() {
    if (zooKeeper != null) {
      return ZooKeeperAddress.parse(zooKeeper);
    }
    return ZooKeeperAddress.parse(
        stack
            .running()
            .orElseThrow(
                () ->
                    new CliException(
                        ExitCode.FAILED,
                        "Cannot find the registry: expected --zookeeper, --registry-file or a local stack that runs in %s, found none of them"
                            .formatted(stack.folder())))
            .endpoints()
            .zooKeeper());
  }

  private void checkOne() {
    if (registryFile != null && zooKeeper != null) {
      throw new CliException(
          ExitCode.USAGE,
          "Cannot find the registry: expected one of --registry-file and --zookeeper, found both");
    }
  }
}
