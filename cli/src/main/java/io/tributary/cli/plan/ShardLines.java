package io.tributary.cli.plan;

import io.tributary.coordinator.core.MembershipForecast;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.ShardSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What becomes of one table's shards. */
final class ShardLines {
  private final Edit edit;
  private final TableName table;
  private final TableFacts facts;
  private final Optional<MembershipForecast> forecast;
  private final List<PlanLine> lines = new ArrayList<>();

  ShardLines(Edit edit, TableName table) {
    this.edit = edit;
    this.table = table;
    this.facts = edit.facts(table);
    this.forecast = edit.forecast(table);
  }

  List<PlanLine> lines() {
    List<MembershipForecast.Problem> problems =
        forecast.map(MembershipForecast::problems).orElse(List.of());
    problems.stream()
        .filter(problem -> problem.shard().isEmpty())
        .forEach(
            problem ->
                lines.add(
                    new PlanLine(
                        Effect.IGNORED,
                        "table " + table,
                        List.of(),
                        problem.text()
                            + "; cure: publish where that version was published, or go on publishing here until the version is reached",
                        "",
                        "")));
    for (ShardId id : ids(problems)) {
      List<PlanLine> refusals = refusals(id, problems);
      lines.addAll(refusals);
      if (refusals.isEmpty() && !edit.changes(Edit.subject(table, id)).isEmpty()) {
        lines.add(described(id));
      }
    }
    return lines;
  }

  private SortedSet<ShardId> ids(List<MembershipForecast.Problem> problems) {
    SortedSet<ShardId> ids = new TreeSet<>();
    Stream.concat(edit.before().stream(), Stream.of(edit.after()))
        .flatMap(registry -> registry.shardsOf(table).stream())
        .forEach(shard -> ids.add(shard.id()));
    problems.forEach(problem -> problem.shard().ifPresent(ids::add));
    return ids;
  }

  private Optional<ShardSpec> was(ShardId id) {
    return edit.before().flatMap(registry -> Edit.shard(registry, table, id));
  }

  private Optional<ShardSpec> is(ShardId id) {
    return Edit.shard(edit.after(), table, id);
  }

  // ------------------------------------------------------------------ what must not be published

  private List<PlanLine> refusals(ShardId id, List<MembershipForecast.Problem> problems) {
    List<PlanLine> found = new ArrayList<>();
    List<MembershipForecast.Problem> known = edit.problemsOfBefore(table);
    for (MembershipForecast.Problem problem : problems) {
      if (problem.shard().filter(id::equals).isPresent()) {
        found.add(
            known.contains(problem)
                ? line(Effect.IGNORED, id, problem.text(), "", "")
                : refused(id, problem.text()));
      }
    }
    otherSource(id).map(text -> refused(id, text)).ifPresent(found::add);
    return found;
  }

  /** Rows of two source tables under one number could never be told apart again. */
  private Optional<String> otherSource(ShardId id) {
    Optional<ShardState> state = facts.shard(id).filter(ShardState::started);
    Optional<ShardSpec> is = is(id).filter(shard -> shard.state() != DesiredState.RETIRED);
    if (state.isEmpty() || is.isEmpty()) {
      return Optional.empty();
    }
    Optional<ShardSpec> was = was(id);
    if (was.isPresent()
        && !was.get().source().equals(is.get().source())
        && !CopiedAnew.holds(state.get())) {
      return Optional.of(
          "Cannot read shard %s of table %s from %s: expected %s, whose rows the table has under this number, found another source table%s; cure: restore it, or retire shard %s and give the new table a number of its own, %s or above"
              .formatted(
                  id,
                  table,
                  is.get().source(),
                  was.get().source(),
                  numberBefore(is.get()),
                  id,
                  freeNumber()));
    }
    if (was.isEmpty() && edit.before().isPresent() && state.get().phase() == ShardPhase.RETIRED) {
      return Optional.of(
          "Cannot use number %s of table %s for %s: expected a number that was never used, found that of a retired shard, whose rows the table has; cure: take %s or above"
              .formatted(id, table, is.get().source(), freeNumber()));
    }
    return Optional.empty();
  }

  private String numberBefore(ShardSpec shard) {
    return edit.before().stream()
        .flatMap(registry -> registry.shardsOf(table).stream())
        .filter(
            other -> other.source().equals(shard.source()) && other.server().equals(shard.server()))
        .findFirst()
        .map(other -> ", shard %s until now (has a number pattern shifted?)".formatted(other.id()))
        .orElse("");
  }

  private int freeNumber() {
    Stream<ShardId> inRegistries =
        Stream.concat(edit.before().stream(), Stream.of(edit.after()))
            .flatMap((Registry registry) -> registry.shardsOf(table).stream())
            .map(ShardSpec::id);
    Stream<ShardId> inTable = facts.ledger().stream().flatMap(s -> s.shards().keySet().stream());
    return Stream.concat(inRegistries, inTable).mapToInt(ShardId::value).max().orElse(-1) + 1;
  }

  private PlanLine refused(ShardId id, String text) {
    return line(Effect.REFUSED, id, text, "", "");
  }

  private PlanLine line(Effect effect, ShardId id, String reason, String rows, String action) {
    String subject = Edit.subject(table, id);
    return new PlanLine(effect, subject, edit.texts(subject), reason, rows, action);
  }

  // ------------------------------------------------------------------ what may

  private PlanLine described(ShardId id) {
    Optional<ShardSpec> was = was(id);
    Optional<ShardSpec> is = is(id);
    if (was.isEmpty()) {
      return added(is.orElseThrow());
    }
    if (is.isEmpty()) {
      return removed(was.get());
    }
    boolean placed =
        was.get().group().equals(is.get().group()) && was.get().server().equals(is.get().server());
    if (!placed || !was.get().source().equals(is.get().source())) {
      return moved(was.get(), is.get(), placed);
    }
    return switch (is.get().state()) {
      case ACTIVE -> resumed(is.get());
      case PAUSED ->
          line(
              was.get().state() == DesiredState.RETIRED ? Effect.CHANGES : Effect.STOPS,
              id,
              "paused: the table's watermark does not wait for it from the next round on; the job of group %s reads it until it is submitted anew"
                  .formatted(is.get().group()),
              rowsStay(id),
              "");
      case RETIRED ->
          line(
              Effect.STOPS,
              id,
              "retired: the table's watermark does not wait for it from the next round on; the job of group %s reads it until it is submitted anew; its number stays taken"
                  .formatted(is.get().group()),
              rowsStay(id),
              "");
    };
  }

  private PlanLine added(ShardSpec shard) {
    Optional<ShardState> state = facts.shard(shard.id()).filter(ShardState::started);
    if (state.isPresent()) {
      return line(
          Effect.CHANGES,
          shard.id(),
          "the table knows this number already, in phase %s, of group %s on server %s; it cannot tell from which source table"
              .formatted(state.get().phase().wireName(), state.get().group(), state.get().server()),
          "stay as they are",
          "make sure that %s is the source table that the shard was read from before"
              .formatted(shard.source()));
    }
    return switch (shard.state()) {
      case ACTIVE ->
          line(
              Effect.STARTS,
              shard.id(),
              "group %s reads it from server %s once it is submitted anew"
                  .formatted(shard.group(), shard.server()),
              copyText(),
              "");
      case PAUSED ->
          line(Effect.CHANGES, shard.id(), "registered, and not read while it is paused", "", "");
      case RETIRED ->
          line(Effect.CHANGES, shard.id(), "its number is taken; it is never read", "", "");
    };
  }

  private String copyText() {
    return "copied from the source; "
        + (facts.ledger().flatMap(TableState::validThrough).isPresent()
            ? "validThrough goes on without it, and names it in notCovered until it has caught up"
            : "validThrough stays null until this is done");
  }

  private PlanLine removed(ShardSpec shard) {
    if (facts instanceof TableFacts.Unlooked) {
      return unknown(shard.id());
    }
    if (facts.shard(shard.id()).filter(ShardState::started).isPresent()) {
      return line(
          Effect.STOPS,
          shard.id(),
          "it was retired; the table goes on knowing its number, which stays taken",
          "stay until they are removed",
          "");
    }
    return line(
        Effect.STOPS,
        shard.id(),
        "nothing of it was ever committed",
        "",
        facts.shard(shard.id()).isPresent() ? beforeItIsRead(shard) : "");
  }

  private PlanLine moved(ShardSpec was, ShardSpec is, boolean placed) {
    if (facts instanceof TableFacts.Unlooked) {
      return unknown(is.id());
    }
    boolean started = facts.shard(is.id()).filter(ShardState::started).isPresent();
    return line(
        placed ? Effect.CHANGES : Effect.MOVES,
        is.id(),
        started
            ? "retired: it is not read from anywhere"
            : "nothing of it was ever committed; group %s reads it from server %s once it is submitted anew"
                .formatted(is.group(), is.server()),
        started ? "stay until they are removed" : copyText(),
        !started && facts.shard(is.id()).isPresent() ? beforeItIsRead(was) : "");
  }

  /** The table learns what a job reads with the job's first epoch, not with its hello. */
  private static String beforeItIsRead(ShardSpec was) {
    return "if the job of group %s reads it already (it was submitted since the shard was added), cancel that job before this is published: else its next epoch halts the group as not-owned, until it is submitted anew"
        .formatted(was.group());
  }

  private PlanLine unknown(ShardId id) {
    return line(
        Effect.UNKNOWN,
        id,
        "whether the table has rows of it was not looked at: if it has, the coordinator refuses another group or server and an entry that is missing, and another source table would mix its rows with theirs",
        "",
        "plan again from where the catalog can be reached");
  }

  private PlanLine resumed(ShardSpec shard) {
    Optional<ShardState> then =
        forecast.flatMap(found -> Optional.ofNullable(found.shards().get(shard.id())));
    boolean goesOn = then.filter(state -> state.phase() == ShardPhase.ACTIVE).isPresent();
    boolean started = then.filter(ShardState::started).isPresent();
    return line(
        Effect.STARTS,
        shard.id(),
        "group %s reads it from server %s%s"
            .formatted(
                shard.group(),
                shard.server(),
                goesOn
                    ? "; a job that was not submitted since it left reads it still and needs nothing"
                    : " once it is submitted anew"),
        goesOn
            ? "go on from the position that the table holds"
            : (started ? "emptied, and " : "") + copyText(),
        "");
  }

  private String rowsStay(ShardId id) {
    return facts.shard(id).filter(ShardState::started).isPresent() ? "stay as they are" : "";
  }
}
