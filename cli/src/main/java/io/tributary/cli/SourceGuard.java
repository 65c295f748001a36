package io.tributary.cli;

import io.tributary.cli.check.SourceRule;
import io.tributary.cli.plan.Effect;
import io.tributary.cli.plan.PlanLine;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.SourceChange;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.SourceHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Refuses a registry in which the number of a started shard stands for another source, by {@link
 * SourceRule}, compared with the version that last read each number.
 */
final class SourceGuard {
  private static final int MOST_LINES = 5;
  private static final String CURE =
      "give each new source a number of its own, and keep the old numbers for the old sources with state: retired; where only the server's address changed, keep the server's name and change its hostname";

  private final SourceHistory history;
  private final RegistryPlaces places;

  SourceGuard(RegistryStore store, RegistryPlaces places) {
    this.history = new SourceHistory(store);
    this.places = places;
  }

  /**
   * @param what the registry that is to be published, as messages name it
   * @throws CliException naming each shard, its old and its new source, and the cure
   */
  void check(String what, Registry registry) {
    List<String> refused = refusals(registry).stream().map(PlanLine::reason).toList();
    if (refused.isEmpty()) {
      return;
    }
    List<String> lines = refused.subList(0, Math.min(MOST_LINES, refused.size()));
    throw new CliException(
        ExitCode.NO,
        "Cannot publish %s: expected each shard number to stand for the source that it was last read from, found %d that %s for another, whose old rows would never be copied while those of the old source would stay:%n  %s%s"
            .formatted(
                what,
                refused.size(),
                refused.size() == 1 ? "stands" : "stand",
                String.join("\n  ", lines),
                refused.size() > lines.size()
                    ? "%n  and %d more".formatted(refused.size() - lines.size())
                    : ""));
  }

  /** A line for each shard number that must not stand for its new source. */
  List<PlanLine> refusals(Registry registry) {
    List<PlanLine> refused = new ArrayList<>();
    SourceRule rule = new SourceRule(registry.catalog());
    for (Map.Entry<RegistryVersion, List<SourceChange>> entry :
        history.changes(registry).entrySet()) {
      for (SourceChange change : entry.getValue()) {
        rule.refusal(change)
            .ifPresent(
                why ->
                    refused.add(
                        new PlanLine(
                            Effect.REFUSED,
                            "shard %s of %s".formatted(change.after().id(), change.after().table()),
                            List.of(),
                            "%s%s (version %s); %s; cure: %s"
                                .formatted(
                                    places
                                        .shard(change.after().table(), change.after().id())
                                        .map(place -> place + ": ")
                                        .orElse(""),
                                    change,
                                    entry.getKey(),
                                    why,
                                    CURE),
                            "",
                            "")));
      }
    }
    return refused;
  }
}
