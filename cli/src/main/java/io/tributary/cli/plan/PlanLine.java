package io.tributary.cli.plan;

import java.util.List;
import java.util.Objects;

/**
 * What becomes of one part of an edit, and why.
 *
 * @param subject as the registry's history names it, such as {@code shard 3 of shop.orders}
 * @param changes what is said differently, one line each; none when the edit does not touch it
 * @param reason why this is so; of a refusal, what was expected and found, and the cure
 * @param rows what happens to rows in the table; empty when nothing does
 * @param action what the operator has to do beside submitting jobs; empty when nothing
 */
public record PlanLine(
    Effect effect,
    String subject,
    List<String> changes,
    String reason,
    String rows,
    String action) {
  public PlanLine {
    Objects.requireNonNull(effect, "effect");
    Objects.requireNonNull(subject, "subject");
    changes = List.copyOf(changes);
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(rows, "rows");
    Objects.requireNonNull(action, "action");
  }
}
