package io.tributary.cli;

import io.tributary.coordinator.TableDecision;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tributary adopt}. */
@Command(
    name = "adopt",
    header = "Make a table that somebody else created one of ours.",
    description = {
      "For a table that has the columns, identifier fields, partition spec, format version and",
      "properties that the groups' sources need: writes the coordinator's state into it in one",
      "step. Every shard is then copied from emptied partitions: rows that are there now and in no",
      "source are gone. A table that does not fit is refused with all differences. At least one",
      "group must have been submitted before, so that it is known what its sources need."
    })
final class AdoptCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private DecisionOptions decision;

  AdoptCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return decision.decide(terminal, "adopt", TableDecision::toAdopt);
  }
}
