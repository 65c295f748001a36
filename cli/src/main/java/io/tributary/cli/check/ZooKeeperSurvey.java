package io.tributary.cli.check;

import io.tributary.registry.Registry;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.SourceChange;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.RegistryUnavailableException;
import io.tributary.registry.zookeeper.SourceHistory;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import io.tributary.registry.zookeeper.ZooKeeperProbe;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks at ZooKeeper, where the registry is or will be published: whether it answers and can be
 * written, and whether the registry goes on from what was published before.
 */
final class ZooKeeperSurvey {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private ZooKeeperSurvey() {}

  /**
   * @param registry as it is, or is to be, published there
   */
  static List<Finding> look(ZooKeeperAddress address, Registry registry, RegistryPlaces places) {
    String subject = "ZooKeeper " + address;
    List<Finding> findings = new ArrayList<>();
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(address, ZooKeeperConnection.DEFAULT_SESSION_TIMEOUT, PATIENCE)) {
      Duration granted = connection.sessionTimeout();
      if (granted.compareTo(ZooKeeperConnection.DEFAULT_SESSION_TIMEOUT) < 0) {
        findings.add(
            Finding.warning(
                "zookeeper-session",
                subject,
                "sessions of %d s, where %d s were asked for"
                    .formatted(
                        granted.toSeconds(),
                        ZooKeeperConnection.DEFAULT_SESSION_TIMEOUT.toSeconds()),
                "a job that stands still for longer loses its lease to another one",
                "raise maxSessionTimeout of the servers"));
      }
      Optional<String> refusal = new ZooKeeperProbe(connection).refusal();
      if (refusal.isPresent()) {
        findings.add(
            Finding.error(
                "zookeeper-not-writable",
                subject,
                refusal.get(),
                "no registry is published, no lease taken and no incarnation counted",
                "give the user of the jobs and of this command all rights below "
                    + address.path()
                    + ", or name another path"));
        return findings;
      }
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      for (Map.Entry<RegistryVersion, List<SourceChange>> entry :
          new SourceHistory(store).changes(registry).entrySet()) {
        for (SourceChange change : entry.getValue()) {
          findings.add(
              Finding.error(
                      "source-changed",
                      "shard %s of %s".formatted(change.after().id(), change.after().table()),
                      "%s, since version %s was published".formatted(change, entry.getKey()),
                      "where it has started, the old source's rows stay in the table and the new"
                          + " one's old rows are never copied; 'registry apply' asks the table and"
                          + " refuses it",
                      "give the new source a number of its own, and keep this one for the old"
                          + " source with state: retired")
                  .at(places.shard(change.after().table(), change.after().id())));
        }
      }
    } catch (RegistryUnavailableException e) {
      findings.add(
          Finding.error(
              "zookeeper-unreachable",
              subject,
              e.getMessage(),
              "nothing can be published, and no job that reads the registry there starts",
              "start it, or correct --zookeeper"));
    }
    return findings;
  }
}
