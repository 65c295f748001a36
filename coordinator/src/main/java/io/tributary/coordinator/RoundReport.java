package io.tributary.coordinator;

import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import java.time.Clock;
import java.time.Duration;
import java.util.stream.Collectors;

/** One line for people about a round. */
final class RoundReport {
  private RoundReport() {}

  static String of(TableName table, TableState state, RoundPlan plan, Duration took, Clock clock) {
    FileCounts added = state.added();
    return "Round %s of %s committed in %d ms, term %s: snapshot %s, valid through %s, +%d rows in %d files, %d equality and %d position deletes, layers %d [%s]%s"
        .formatted(
            state.round(),
            table,
            took.toMillis(),
            state.term(),
            state
                .snapshot()
                .map(snapshot -> snapshot.id() + (state.dataRound() ? "" : " (unchanged)"))
                .orElse("none"),
            state
                .validThrough()
                .map(
                    time ->
                        "%s (%d ms behind)"
                            .formatted(
                                time, Duration.between(time.instant(), clock.instant()).toMillis()))
                .orElse("nothing yet"),
            added.dataRecords(),
            added.dataFiles(),
            added.equalityDeleteRecords(),
            added.positionDeleteRecords(),
            plan.layers().size(),
            plan.layers().stream()
                .flatMap(layer -> layer.parts().stream())
                .map(part -> part.group() + ":" + part.epoch())
                .distinct()
                .limit(20)
                .collect(Collectors.joining(" ")),
            plan.columns().isEmpty() ? "" : ", columns asked for: " + plan.columns());
  }
}
