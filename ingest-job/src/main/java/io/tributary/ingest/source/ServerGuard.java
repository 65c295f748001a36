package io.tributary.ingest.source;

import java.io.IOException;
import java.util.Optional;

/**
 * Lets no binlog connection read from another server than the one that is expected. A connection
 * that was lost is made anew by its client, behind everybody's back; and the probe, whose own
 * connection may still be with the server of before, would not notice.
 */
final class ServerGuard {
  private final ProbeLedger probes;
  private final ReadingHealth health;

  ServerGuard(ProbeLedger probes, ReadingHealth health) {
    this.probes = probes;
    this.health = health;
  }

  /**
   * Called over every new connection, before it is asked for the binlog.
   *
   * @param found the server at its other end
   * @throws IOException when it is another one; reading is stopped then
   */
  void admit(String found) throws IOException {
    Optional<String> expected = probes.identity();
    if (expected.isPresent() && !expected.get().equals(found)) {
      String fault = ProbeLedger.otherServer(expected.get(), found);
      health.stop(fault);
      throw new IOException("Cannot read the binlog: " + fault);
    }
  }
}
