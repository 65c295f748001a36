package io.tributary.loadtests.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Counts what a run has done and found. */
final class FuzzTally {
  private final long seed;
  private final int first;
  private final long begin = System.nanoTime();
  private final List<FuzzResult.Failure> failures = new ArrayList<>();
  private int tables;
  private int refusals;
  private int columns;
  private long statements;
  private long refusedStatements;
  private long rows;
  private int copying;
  private int following;
  private int fromCheckpoint;
  private int withoutState;

  FuzzTally(long seed, int first) {
    this.seed = seed;
    this.first = first;
  }

  void killed(boolean whileCopying) {
    if (whileCopying) {
      copying++;
    } else {
      following++;
    }
  }

  void restarted(boolean withState) {
    if (withState) {
      fromCheckpoint++;
    } else {
      withoutState++;
    }
  }

  void compared(long comparedRows) {
    rows += comparedRows;
  }

  void add(FuzzTable table, Optional<String> failure, long done, long refused) {
    tables++;
    columns += table.columns().size();
    statements += done;
    refusedStatements += refused;
    if (failure.isPresent()) {
      failures.add(
          new FuzzResult.Failure(
              table.index(),
              failure.get(),
              table.createTable(0),
              "bin/tributary fuzz --seed %d --first %d --tables 1"
                  .formatted(table.seed(), table.index())));
    } else if (table.refusal().isPresent()) {
      refusals++;
    }
  }

  int tables() {
    return tables;
  }

  List<FuzzResult.Failure> failures() {
    return List.copyOf(failures);
  }

  double seconds() {
    return (System.nanoTime() - begin) / 1e9;
  }

  FuzzResult result() {
    return new FuzzResult(
        seed,
        first,
        tables,
        refusals,
        columns,
        statements,
        refusedStatements,
        rows,
        copying,
        following,
        fromCheckpoint,
        withoutState,
        failures,
        seconds());
  }
}
