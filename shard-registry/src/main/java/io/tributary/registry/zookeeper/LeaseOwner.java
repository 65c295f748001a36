package io.tributary.registry.zookeeper;

import java.time.Instant;
import java.util.Objects;

/**
 * Who holds a lease.
 *
 * @param id the submission's or job's id: the same id may take its lease again after a restart
 * @param host where it runs
 * @param since when it was started, by its own clock
 * @param what for people, such as {@code ingest job of group a, incarnation 7}
 */
public record LeaseOwner(String id, String host, Instant since, String what) {
  public LeaseOwner {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(what, "what");
  }

  @Override
  public String toString() {
    return what + " (" + id + ") on " + host + " since " + since;
  }
}
