package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * A source at the end of an epoch.
 *
 * @param server the registry's name of the server
 * @param position from where a job without Flink state goes on; absent while the initial snapshot
 *     of its shards runs
 */
public record SourceProgress(ServerName server, Optional<SourcePosition> position) {
  public SourceProgress {
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(position, "position");
  }
}
