package io.tributary.cli;

import io.tributary.cli.plan.PlanLine;
import io.tributary.cli.plan.RegistryPlan;
import io.tributary.registry.InvalidRegistryException;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tributary registry plan}. */
@Command(
    name = "plan",
    header = "Say what publishing a registry file would do.",
    description = {
      "Compare a registry file with the published registry and with what the tables hold, and say of",
      "every change what starts, stops, moves or is refused, why, what happens to rows, and which",
      "jobs have to be submitted anew. Changes nothing. Exits 0 when nothing changes, 5 when",
      "something does, 1 when the edit is refused."
    })
final class RegistryPlanCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryPlace place;
  @Mixin private PlanOptions options;

  @Parameters(paramLabel = "FILE", description = "The registry file (YAML).")
  private Path file;

  RegistryPlanCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    RegistryParser.Placed placed;
    try {
      placed = RegistryParser.readFile(file);
    } catch (InvalidRegistryException e) {
      if (common.json()) {
        terminal.line(
            Json.pretty(
                RegistryView.problems(e).put("verdict", RegistryPlan.Verdict.REFUSED.word())));
        return ExitCode.NO;
      }
      throw e;
    }
    Registry registry = placed.registry();
    Optional<Registry> current;
    List<PlanLine> otherSources;
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(place.address())) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      current = store.current().map(Publication::registry);
      otherSources =
          options.offline ? List.of() : new SourceGuard(store, placed.places()).refusals(registry);
    }
    RegistryPlan plan = options.plan(current, registry).with(otherSources);
    if (common.json()) {
      terminal.line(Json.pretty(PlanView.json(plan)));
    } else {
      PlanView.text(terminal, plan);
    }
    return switch (plan.verdict()) {
      case NO_CHANGE -> ExitCode.OK;
      case CHANGES -> ExitCode.NOTICE;
      case REFUSED -> ExitCode.NO;
    };
  }
}
