package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.plan.Effect;
import io.tributary.cli.plan.JobStep;
import io.tributary.cli.plan.PlanLine;
import io.tributary.cli.plan.RegistryPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Shows what an edit of the registry would do. */
final class PlanView {
  /** More parts of an edit that have one fate are counted, and the first and last named. */
  private static final int MOST_NAMED = 4;

  private PlanView() {}

  /**
   * Shows a plan that is about to be published, and asks.
   *
   * @param yes whether the answer is known
   * @return whether it may be published; if not, that was said
   */
  static boolean confirmed(
      Terminal terminal, CommonOptions common, RegistryPlan plan, boolean yes) {
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    text(screen, plan);
    boolean refused = plan.verdict() == RegistryPlan.Verdict.REFUSED;
    if (!refused && (yes || terminal.confirms("Publish it?"))) {
      return true;
    }
    if (common.json()) {
      terminal.line(
          Json.pretty(
              Json.object()
                  .put("version", plan.current())
                  .put("published", false)
                  .set("plan", json(plan))));
    }
    if (refused) {
      terminal.note(refusal(plan));
    } else {
      terminal.note("Nothing was changed; --yes goes on without asking");
    }
    return false;
  }

  private static String refusal(RegistryPlan plan) {
    return "Cannot publish the registry: expected an edit that the coordinator and the jobs can follow, found %d refusals:%n  %s"
        .formatted(
            plan.refusals().size(),
            plan.refusals().stream().map(PlanLine::reason).collect(Collectors.joining("\n  ")));
  }

  static void text(Terminal terminal, RegistryPlan plan) {
    if (plan.verdict() == RegistryPlan.Verdict.NO_CHANGE) {
      terminal.line("No change: version %d says the same".formatted(plan.current()));
      return;
    }
    terminal.line(
        (plan.current() == 0
            ? "Plan of the first version"
            : "Plan of an edit of version " + plan.current()));
    plan.looks().forEach((table, look) -> terminal.line("  table %s: %s".formatted(table, look)));
    fates(plan).values().forEach(lines -> text(terminal, lines));
    terminal.line("");
    if (plan.verdict() == RegistryPlan.Verdict.REFUSED) {
      terminal.line(terminal.bad("Refused: it must not be published as it is"));
      return;
    }
    terminal.line("Once it is published:");
    for (JobStep step : plan.jobs()) {
      if (step.kind() != JobStep.Kind.NONE) {
        terminal.line(
            "  %s: %s (%s)%s"
                .formatted(
                    step.job(),
                    step.kind().words(),
                    String.join(", ", step.why()),
                    step.command().map(command -> ": " + command).orElse("")));
      }
    }
    List<String> untouched =
        plan.jobs().stream()
            .filter(step -> step.kind() == JobStep.Kind.NONE)
            .map(JobStep::job)
            .toList();
    if (!untouched.isEmpty()) {
      terminal.line("  no restart of " + String.join(", ", untouched));
    }
  }

  private record Fate(Effect effect, String reason, String rows, String action) {
    static Fate of(PlanLine line) {
      return new Fate(line.effect(), line.reason(), line.rows(), line.action());
    }
  }

  private static Map<Fate, List<PlanLine>> fates(RegistryPlan plan) {
    return plan.lines().stream()
        .collect(Collectors.groupingBy(Fate::of, LinkedHashMap::new, Collectors.toList()));
  }

  private static void text(Terminal terminal, List<PlanLine> lines) {
    PlanLine first = lines.get(0);
    String word = "%-8s ".formatted(first.effect().word());
    terminal.line("");
    terminal.line(
        (first.effect() == Effect.REFUSED ? terminal.bad(word) : terminal.bold(word))
            + (lines.size() <= MOST_NAMED
                ? lines.stream().map(PlanLine::subject).collect(Collectors.joining(", "))
                : "%d: %s to %s"
                    .formatted(
                        lines.size(), first.subject(), lines.get(lines.size() - 1).subject())));
    List<String> changes = new ArrayList<>();
    lines.forEach(line -> changes.addAll(line.changes()));
    changes.stream().limit(MOST_NAMED).forEach(change -> terminal.line("  " + change));
    if (changes.size() > MOST_NAMED) {
      terminal.line("  and %d more like these".formatted(changes.size() - MOST_NAMED));
    }
    part(terminal, "why", first.reason());
    part(terminal, "rows", first.rows());
    part(terminal, "do", first.action());
  }

  private static void part(Terminal terminal, String name, String text) {
    if (!text.isEmpty()) {
      terminal.line("  %-5s%s".formatted(name, text));
    }
  }

  static ObjectNode json(RegistryPlan plan) {
    ObjectNode node = Json.object();
    node.put("verdict", plan.verdict().word()).put("current", plan.current());
    ObjectNode tables = node.putObject("tables");
    plan.looks().forEach((table, look) -> tables.put(table.value(), look));
    ArrayNode lines = node.putArray("lines");
    for (PlanLine line : plan.lines()) {
      ObjectNode entry =
          lines.addObject().put("effect", line.effect().word()).put("subject", line.subject());
      line.changes().forEach(entry.putArray("changes")::add);
      entry.put("reason", line.reason()).put("rows", line.rows()).put("action", line.action());
    }
    ArrayNode jobs = node.putArray("jobs");
    for (JobStep step : plan.jobs()) {
      ObjectNode entry = jobs.addObject().put("job", step.job());
      Json.put(entry, "group", step.group());
      entry.put("step", step.kind().name().toLowerCase(java.util.Locale.ROOT));
      Json.put(entry, "command", step.command());
      step.why().forEach(entry.putArray("why")::add);
    }
    return node;
  }
}
