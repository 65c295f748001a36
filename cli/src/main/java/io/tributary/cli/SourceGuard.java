package io.tributary.cli;

import io.tributary.cli.check.Causes;
import io.tributary.cli.plan.CopiedAnew;
import io.tributary.cli.plan.Effect;
import io.tributary.cli.plan.PlanLine;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.SourceChange;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.SourceHistory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Refuses a registry in which the number of a started shard stands for another source. The table
 * cannot tell one source's rows from another's: the old rows would stay, and the new source's old
 * rows would never be copied.
 *
 * <p>Let through is what the table says is copied anew from emptied partitions whenever it starts:
 * a shard that never started in a group that never did, and another database or table of a shard
 * that is halted, or was and is paused or retired now: nothing but a copy brings it back.
 */
final class SourceGuard {
  private static final int MOST_LINES = 5;
  private static final String CURE =
      "give each new source a number of its own, and keep the old numbers for the old sources with state: retired; where only the server's address changed, keep the server's name and change its hostname";

  private final SourceHistory history;
  private final RegistryPlaces places;
  private final Map<TableName, Look> looks = new HashMap<>();

  /** What the table says; without a state there is no table of ours. */
  private record Look(Optional<TableState> state, Optional<String> failure) {}

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
    for (Map.Entry<RegistryVersion, List<SourceChange>> entry :
        history.changes(registry).entrySet()) {
      for (SourceChange change : entry.getValue()) {
        refusal(registry, change)
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

  private Optional<String> refusal(Registry registry, SourceChange change) {
    TableName table = change.after().table();
    Look look = looks.computeIfAbsent(table, name -> look(registry, name));
    if (look.failure().isPresent()) {
      return Optional.of(
          "whether it has started is not known: table %s does not answer (%s)"
              .formatted(table, look.failure().get()));
    }
    if (look.state().isEmpty()) {
      return Optional.empty();
    }
    TableState state = look.state().get();
    Optional<ShardState> shard = state.shard(change.after().id());
    if (shard.filter(ShardState::started).isEmpty()) {
      // What a job that reads it has sent may be on its way.
      return state.group(change.before().group()).isEmpty()
          ? Optional.empty()
          : Optional.of(
              "a job of group %s has been started, and may have read it"
                  .formatted(change.before().group()));
    }
    if (!change.ofServer() && shard.filter(CopiedAnew::holds).isPresent()) {
      return Optional.empty();
    }
    return Optional.of("the table has rows of it");
  }

  private static Look look(Registry registry, TableName table) {
    try (LakeTable lake = LakeTable.open(registry.catalog(), table)) {
      return new Look(lake.state(), Optional.empty());
    } catch (RuntimeException e) {
      return new Look(Optional.empty(), Optional.of(Causes.of(e)));
    }
  }
}
