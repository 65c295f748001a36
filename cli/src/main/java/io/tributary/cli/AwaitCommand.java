package io.tributary.cli;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary await}. */
@Command(
    name = "await",
    header = "Wait until a table is complete up to a time.",
    description = {
      "Wait until a table is complete up to a time: every row that the sources committed before",
      "it, by their own clocks, can then be read. Exits 4 when that takes longer than --timeout."
    })
final class AwaitCommand implements Callable<Integer> {
  private static final Duration LEAST_LOOK = Duration.ofMillis(100);

  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The table. Default: the registry's only one.")
  private String table;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      required = true,
      description = "A time such as 2026-11-30T12:00:00Z, or now.")
  private Instant until;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "10 min",
      description = "How long to wait at most. Default: 10 min.")
  private Duration timeout;

  @Option(
      names = "--allow-not-covered",
      description = "Also when shards are paused, halted or still being copied.")
  private boolean allowNotCovered;

  AwaitCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    long begin = System.nanoTime();
    // The time that is given is for all of it.
    Duration patience =
        timeout.compareTo(ZooKeeperConnection.DEFAULT_PATIENCE) < 0
            ? timeout
            : ZooKeeperConnection.DEFAULT_PATIENCE;
    Registry known = registry.load(patience);
    TableSpec spec = TableChoice.of(known, Optional.ofNullable(table));
    try (CommitStatusReader reader = statuses(known, spec)) {
      Duration left = timeout.minusNanos(System.nanoTime() - begin);
      // What is already covered is found in an instant also when nothing is left.
      CommitStatus status =
          reader.awaitWatermark(
              spec.name(),
              until,
              left.compareTo(LEAST_LOOK) < 0 ? LEAST_LOOK : left,
              allowNotCovered);
      String snapshot = status.snapshot().map(found -> Long.toString(found.id())).orElse("none");
      if (common.json()) {
        var node =
            Json.object()
                .put("table", spec.name().toString())
                .put("until", until.toString())
                .put("round", status.round().value());
        // As text: an id of 64 bits does not fit the numbers of every JSON reader.
        node.put("snapshotId", snapshot);
        Json.put(node, "validThrough", status.validThrough());
        terminal.line(Json.pretty(node));
      } else {
        terminal.line(
            "%s is complete up to %s: round %s, snapshot %s, valid through %s"
                .formatted(
                    spec.name(),
                    until,
                    status.round(),
                    snapshot,
                    status.validThrough().map(Object::toString).orElse("-")));
      }
      return ExitCode.OK;
    }
  }

  static CommitStatusReader statuses(Registry registry, TableSpec table) {
    return new CommitStatusReader(
        registry.kafka().resolveProperties(), name -> table.statusTopic());
  }
}
