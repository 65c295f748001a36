package io.tributary.cli.plan;

import io.tributary.coordinator.core.MembershipForecast;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.registry.CopyReaders;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryChange;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Plans an edit of the registry: every change that it makes gets a line. */
public final class RegistryPlanner {
  private final Edit edit;
  private final Set<TableName> leftBehind;
  private final List<PlanLine> lines = new ArrayList<>();

  /**
   * @param before the published registry with its version; empty when none is published
   * @param after what is to be published
   * @param facts of the tables of both; one that is left out counts as not looked at
   * @param leftBehind tables that are in the catalog of the published registry and not in the other
   */
  public RegistryPlanner(
      Optional<Registry> before,
      Registry after,
      Map<TableName, TableFacts> facts,
      Set<TableName> leftBehind) {
    this.edit = new Edit(before, after, facts);
    this.leftBehind = Set.copyOf(leftBehind);
  }

  /** What the change from one registry to another asks of a group's job. */
  public static Optional<JobStep.Kind> step(Registry before, Registry after, GroupName group) {
    return new JobSteps(new Edit(Optional.of(before), after, Map.of()))
        .steps().stream()
            .filter(step -> step.group().filter(group::equals).isPresent())
            .map(JobStep::kind)
            .findFirst();
  }

  public RegistryPlan plan() {
    List<JobStep> jobs = edit.changes().isEmpty() ? List.of() : new JobSteps(edit).steps();
    if (!edit.changes().isEmpty()) {
      shared();
      edit.tables().forEach(table -> lines.addAll(new TableLines(edit, table).lines()));
      edit.groups().forEach(group -> group(group, jobs));
      edit.tables().forEach(table -> lines.addAll(new ShardLines(edit, table).lines()));
    }
    SortedMap<TableName, String> looks = new TreeMap<>();
    edit.tables().forEach(table -> looks.put(table, edit.facts(table).toString()));
    lines.sort(Comparator.comparing(PlanLine::effect));
    return new RegistryPlan(
        edit.before().map(Registry::versionNumber).orElse(0L), lines, jobs, looks);
  }

  private void shared() {
    changed(
        "catalog", "the coordinator and the groups' jobs take it when they are submitted anew", "");
    if (!leftBehind.isEmpty()) {
      add(
          Effect.REFUSED,
          "catalog",
          "Cannot change the catalog: expected tables %s there, as in the one that is published, found none; the coordinator would make them again and every shard would be copied anew; cure: restore the address, or bring the tables there first"
              .formatted(leftBehind));
    }
    changed(
        "kafka",
        "the coordinator and the groups' jobs take it when they are submitted anew; they must find the same topics there, or the coordinator stops",
        "");
    changed("coordinator", "the coordinator takes it when it is submitted anew", "");
    for (ServerSpec server : edit.after().servers()) {
      String subject = "server " + server.name();
      if (edit.before().flatMap(was -> Edit.server(was, server.name())).isEmpty()) {
        add(Effect.CHANGES, subject, "read by nobody but the groups whose shards lie there");
      } else {
        changed(
            subject,
            "the jobs that read it take it when they are submitted anew",
            edit.changes(subject).stream().anyMatch(RegistryPlanner::isAddress)
                ? "stay as they are; a position belongs to the server that it was read from: another server under this name halts its shards, and no row is passed over"
                : "");
      }
    }
    for (ServerSpec server : edit.before().map(Registry::servers).orElse(List.of())) {
      if (Edit.server(edit.after(), server.name()).isEmpty()) {
        add(Effect.CHANGES, "server " + server.name(), "no shard lies there any more");
      }
    }
  }

  private static boolean isAddress(RegistryChange change) {
    return change.setting().filter(List.of("hostname", "port")::contains).isPresent();
  }

  private void changed(String subject, String reason, String rows) {
    if (!edit.changes(subject).isEmpty()) {
      lines.add(new PlanLine(Effect.CHANGES, subject, edit.texts(subject), reason, rows, ""));
    }
  }

  private void add(Effect effect, String subject, String reason) {
    lines.add(new PlanLine(effect, subject, edit.texts(subject), reason, "", ""));
  }

  private void group(GroupName name, List<JobStep> jobs) {
    String subject = "group " + name;
    Optional<GroupSpec> was = edit.before().flatMap(registry -> Edit.group(registry, name));
    Optional<GroupSpec> is = Edit.group(edit.after(), name);
    boolean reads = !edit.after().activeShardsOf(name).isEmpty();
    if (was.isEmpty()) {
      add(
          reads ? Effect.STARTS : Effect.CHANGES,
          subject,
          reads ? "its job is submitted for the first time" : "it has no shard to read yet");
    } else if (is.isEmpty()) {
      add(Effect.STOPS, subject, "it has no shard any more; its job ends when it is cancelled");
    } else if (!edit.changes(subject).isEmpty()) {
      changed(subject, "its job takes it when it is submitted anew", "");
    }
    boolean submitted =
        jobs.stream()
            .anyMatch(
                step ->
                    step.group().filter(name::equals).isPresent() && step.command().isPresent());
    if (submitted) {
      List<String> known = edit.before().map(before -> narrow(before, name)).orElse(List.of());
      narrow(edit.after(), name)
          .forEach(
              text -> add(known.contains(text) ? Effect.IGNORED : Effect.REFUSED, subject, text));
    }
  }

  /** Servers on which the group has too few replica ids for what it would have to read. */
  private List<String> narrow(Registry registry, GroupName name) {
    Optional<GroupSpec> group = Edit.group(registry, name);
    if (group.isEmpty()) {
      return List.of();
    }
    SortedMap<ShardId, ShardState> then =
        edit.forecast(group.get().table())
            .map(MembershipForecast::shards)
            .orElseGet(Collections::emptySortedMap);
    List<String> problems = new ArrayList<>();
    for (ServerSpec server : registry.serversOf(name)) {
      CopyReaders.problem(
              server.name(),
              registry.activeShardsOf(name, server.name()).stream().map(ShardSpec::id).toList(),
              then,
              group.get().serverIds().get(server.name()),
              group.get().parallelism())
          .ifPresent(problems::add);
    }
    return problems;
  }
}
