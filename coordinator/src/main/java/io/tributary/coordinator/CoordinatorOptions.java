package io.tributary.coordinator;

import io.tributary.protocol.TableName;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The job's arguments.
 *
 * @param registryFile the registry's file, when it is read from one
 * @param zooKeeper where the registry is published, when it is read from there
 * @param table the only table to coordinate; all of the registry's when empty
 */
record CoordinatorOptions(
    Optional<Path> registryFile, Optional<ZooKeeperAddress> zooKeeper, Optional<TableName> table) {
  static final String USAGE =
      "Usage: (--registry-file FILE | --zookeeper HOST:PORT[,HOST:PORT...][/PATH]) [--table TABLE]";

  /**
   * @throws IllegalArgumentException when the arguments are others
   */
  static CoordinatorOptions parse(String... arguments) {
    Optional<Path> file = Optional.empty();
    Optional<ZooKeeperAddress> zooKeeper = Optional.empty();
    Optional<TableName> table = Optional.empty();
    List<String> all = List.of(arguments);
    for (int i = 0; i < all.size(); i += 2) {
      String option = all.get(i);
      if (i + 1 == all.size()) {
        throw refused("a value behind " + option, "none");
      }
      String value = all.get(i + 1);
      switch (option) {
        case "--registry-file" -> file = once(option, file, Path.of(value));
        case "--zookeeper" -> zooKeeper = once(option, zooKeeper, ZooKeeperAddress.parse(value));
        case "--table" -> table = once(option, table, new TableName(value));
        default -> throw refused("one of its options", option);
      }
    }
    if (file.isPresent() == zooKeeper.isPresent()) {
      throw refused(
          "exactly one of --registry-file and --zookeeper", file.isPresent() ? "both" : "none");
    }
    return new CoordinatorOptions(file, zooKeeper, table);
  }

  private static <T> Optional<T> once(String option, Optional<T> known, T value) {
    if (known.isPresent()) {
      throw refused(option + " once", option + " again");
    }
    return Optional.of(value);
  }

  private static IllegalArgumentException refused(String expected, String found) {
    return new IllegalArgumentException(
        "Cannot start the coordinator: expected " + expected + ", found " + found + "\n" + USAGE);
  }
}
