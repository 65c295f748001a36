package io.tributary.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary accept}. */
@Command(
    name = "accept",
    header = "Accept a table as it is, after its coordinator stopped for it.",
    description = {
      "For a table that was rolled back, restored or created again, whose tag was moved, or whose",
      "topics lost records: says what is wrong and what accepting it means, asks, and writes that",
      "into the table in one step. Rows and positions are made to fit; where no position is known",
      "that fits, shards are copied anew. All groups must be started anew afterwards. Exits 1",
      "when nothing is wrong or the answer is no, 3 while a coordinator works on the table."
    })
final class AcceptCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private DecisionOptions decision;

  @Option(
      names = "--positions-hold",
      description =
          "Say that compaction and expiry alone made the table's history end; counts only where "
              + "it cannot be told whether main descends from the last round.")
  private boolean positionsHold;

  AcceptCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    return decision.decide(terminal, "accept", table -> table.toAccept(positionsHold));
  }
}
