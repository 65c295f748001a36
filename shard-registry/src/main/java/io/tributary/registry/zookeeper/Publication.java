package io.tributary.registry.zookeeper;

import io.tributary.registry.Registry;
import io.tributary.registry.RegistryVersion;
import java.time.Instant;
import java.util.Objects;

/**
 * One published version of the registry.
 *
 * @param version its number
 * @param publishedBy who did it, such as {@code user@host}
 * @param publishedAt when, by the publisher's clock
 * @param registry what was published, carrying the version
 */
public record Publication(
    RegistryVersion version, String publishedBy, Instant publishedAt, Registry registry) {
  public Publication {
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(publishedBy, "publishedBy");
    Objects.requireNonNull(publishedAt, "publishedAt");
    registry = registry.withVersion(version);
  }
}
