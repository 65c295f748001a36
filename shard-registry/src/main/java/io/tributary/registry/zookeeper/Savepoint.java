package io.tributary.registry.zookeeper;

import io.tributary.protocol.Incarnation;
import java.time.Instant;
import java.util.Objects;

/**
 * What a group's job left when it was stopped.
 *
 * @param path where Flink's savepoint lies, as URI
 * @param incarnation of the submission that was stopped: its state continues this one alone
 * @param registryVersion that the submission was started with
 * @param takenAt by the clock of whoever stopped it
 */
public record Savepoint(
    String path, Incarnation incarnation, long registryVersion, Instant takenAt) {
  /**
   * @throws IllegalArgumentException when the path is blank or the version negative
   */
  public Savepoint {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(takenAt, "takenAt");
    if (path.isBlank() || registryVersion < 0) {
      throw new IllegalArgumentException(
          "Cannot keep a savepoint: expected a path and a registry version not below 0, found '%s' and %d"
              .formatted(path, registryVersion));
    }
  }
}
