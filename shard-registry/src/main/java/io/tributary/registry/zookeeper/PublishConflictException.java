package io.tributary.registry.zookeeper;

import io.tributary.registry.RegistryVersion;
import java.util.Optional;

/** Somebody published between reading and publishing; nothing was changed. */
public final class PublishConflictException extends RuntimeException {
  private final transient Optional<Publication> current;

  /**
   * @param expected empty when none was to be there
   * @param current what is published now
   */
  public PublishConflictException(
      Optional<RegistryVersion> expected, Optional<Publication> current) {
    super(
        "Cannot publish the registry: expected version "
            + expected.map(RegistryVersion::toString).orElse("none")
            + " to be the current one, found "
            + current
                .map(
                    found ->
                        "version "
                            + found.version()
                            + ", published by "
                            + found.publishedBy()
                            + " at "
                            + found.publishedAt())
                .orElse("none")
            + "; read it, repeat the edit on it, and publish again");
    this.current = current;
  }

  /** What is published now. */
  public Optional<Publication> current() {
    return current;
  }
}
