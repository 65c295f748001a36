package io.tributary.protocol;

import java.util.Comparator;
import java.util.Objects;

/** One server as read by one group: one binlog position, one clock. */
public record SourceKey(GroupName group, ServerName server) implements Comparable<SourceKey> {
  private static final Comparator<SourceKey> ORDER =
      Comparator.comparing(SourceKey::group).thenComparing(SourceKey::server);

  public SourceKey {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(server, "server");
  }

  @Override
  public int compareTo(SourceKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return group + "/" + server;
  }
}
