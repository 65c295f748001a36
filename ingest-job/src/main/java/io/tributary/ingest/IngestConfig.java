package io.tributary.ingest;

import io.tributary.protocol.GroupName;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What an ingest job is told on its command line; all else is in the registry.
 *
 * @param registry where the registry is
 * @param group whose shards to read
 * @param takeOver start although a job of the group is running: that one ends
 */
public record IngestConfig(RegistryPlace registry, GroupName group, boolean takeOver) {
  /** How to call the job. */
  public static final String USAGE =
      "--registry-file FILE | --zookeeper HOST:PORT[,HOST:PORT]/PATH, --group GROUP, [--take-over]";

  /** Where the registry is. */
  public sealed interface RegistryPlace {}

  /** A file: no lease, and the incarnation is counted by the table alone. */
  public record RegistryFile(Path file) implements RegistryPlace {
    public RegistryFile {
      Objects.requireNonNull(file, "file");
    }
  }

  /** ZooKeeper: the published registry. */
  public record RegistryZooKeeper(ZooKeeperAddress address) implements RegistryPlace {
    public RegistryZooKeeper {
      Objects.requireNonNull(address, "address");
    }
  }

  public IngestConfig {
    Objects.requireNonNull(registry, "registry");
    Objects.requireNonNull(group, "group");
  }

  /**
   * @throws IllegalArgumentException with all that is wrong
   */
  public static IngestConfig parse(String... arguments) {
    List<String> problems = new ArrayList<>();
    Optional<String> file = Optional.empty();
    Optional<String> zooKeeper = Optional.empty();
    Optional<String> group = Optional.empty();
    boolean takeOver = false;
    for (int i = 0; i < arguments.length; i++) {
      String name = arguments[i];
      switch (name) {
        case "--take-over" -> takeOver = true;
        case "--registry-file", "--zookeeper", "--group" -> {
          if (i + 1 == arguments.length) {
            problems.add("expected a value after " + name + ", found none");
            continue;
          }
          Optional<String> value = Optional.of(arguments[++i]);
          Optional<String> before =
              switch (name) {
                case "--registry-file" -> file;
                case "--zookeeper" -> zooKeeper;
                default -> group;
              };
          if (before.isPresent()) {
            problems.add("expected " + name + " once, found it again");
          }
          switch (name) {
            case "--registry-file" -> file = value;
            case "--zookeeper" -> zooKeeper = value;
            default -> group = value;
          }
        }
        default -> problems.add("expected " + USAGE + ", found '" + name + "'");
      }
    }
    if (file.isPresent() == zooKeeper.isPresent()) {
      problems.add(
          "expected one of --registry-file and --zookeeper, found "
              + (file.isPresent() ? "both" : "none"));
    }
    if (group.isEmpty()) {
      problems.add("expected --group, found none");
    }
    Optional<ZooKeeperAddress> address = Optional.empty();
    Optional<GroupName> name = Optional.empty();
    try {
      address = zooKeeper.map(ZooKeeperAddress::parse);
    } catch (IllegalArgumentException e) {
      problems.add(e.getMessage());
    }
    try {
      name = group.map(GroupName::new);
    } catch (IllegalArgumentException e) {
      problems.add(e.getMessage());
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot start an ingest job: " + String.join("; ", problems));
    }
    RegistryPlace place =
        address.isPresent()
            ? new RegistryZooKeeper(address.get())
            : new RegistryFile(Path.of(file.orElseThrow()));
    return new IngestConfig(place, name.orElseThrow(), takeOver);
  }
}
