package io.tributary.cli.plan;

import io.tributary.coordinator.TableJob;
import io.tributary.coordinator.core.MembershipForecast;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryChange;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * An edit: the registry that is published, the one that is to be, what differs, and what is known
 * of the tables.
 */
final class Edit {
  private final Optional<Registry> before;
  private final Registry after;
  private final Map<TableName, TableFacts> facts;
  private final Map<String, List<RegistryChange>> changes = new LinkedHashMap<>();

  /**
   * @param before with its version; empty when none is published
   * @param facts of every table of both registries; one that is left out was not looked at
   */
  Edit(Optional<Registry> before, Registry after, Map<TableName, TableFacts> facts) {
    this.before = before;
    this.after =
        after.withVersion(new RegistryVersion(before.map(Registry::versionNumber).orElse(0L) + 1));
    this.facts = Map.copyOf(facts);
    RegistryDiff.between(before, after)
        .forEach(
            change ->
                changes.computeIfAbsent(change.subject(), any -> new ArrayList<>()).add(change));
  }

  Optional<Registry> before() {
    return before;
  }

  Registry after() {
    return after;
  }

  /** Everything that the edit touches, as the diff names it. */
  Map<String, List<RegistryChange>> changes() {
    return changes;
  }

  List<RegistryChange> changes(String subject) {
    return changes.getOrDefault(subject, List.of());
  }

  /** As lines of the plan show them. */
  List<String> texts(String subject) {
    return changes(subject).stream().map(RegistryChange::toString).toList();
  }

  static String subject(TableName table, ShardId shard) {
    return "shard %s of %s".formatted(shard, table);
  }

  TableFacts facts(TableName table) {
    return facts.getOrDefault(table, new TableFacts.Unlooked());
  }

  /** What the coordinator will do for the table; absent while there is no table of ours. */
  Optional<MembershipForecast> forecast(TableName table) {
    return forecast(table, after);
  }

  /** Why the coordinator refuses what is published now. */
  List<MembershipForecast.Problem> problemsOfBefore(TableName table) {
    return before
        .flatMap(registry -> forecast(table, registry))
        .map(MembershipForecast::problems)
        .orElse(List.of());
  }

  private Optional<MembershipForecast> forecast(TableName table, Registry registry) {
    return facts(table)
        .ledger()
        .map(state -> MembershipForecast.of(table, state, TableJob.members(registry, table)));
  }

  SortedSet<TableName> tables() {
    return names(registry -> registry.tables().stream().map(TableSpec::name).toList());
  }

  SortedSet<GroupName> groups() {
    return names(registry -> registry.groups().stream().map(GroupSpec::name).toList());
  }

  private <T extends Comparable<T>> SortedSet<T> names(Function<Registry, List<T>> names) {
    SortedSet<T> all = new TreeSet<>(names.apply(after));
    before.ifPresent(registry -> all.addAll(names.apply(registry)));
    return all;
  }

  static Optional<TableSpec> table(Registry registry, TableName name) {
    return registry.tables().stream().filter(table -> table.name().equals(name)).findFirst();
  }

  static Optional<GroupSpec> group(Registry registry, GroupName name) {
    return registry.groups().stream().filter(group -> group.name().equals(name)).findFirst();
  }

  static Optional<ServerSpec> server(Registry registry, ServerName name) {
    return registry.servers().stream().filter(server -> server.name().equals(name)).findFirst();
  }

  static Optional<ShardSpec> shard(Registry registry, TableName table, ShardId id) {
    return registry.shardsOf(table).stream().filter(shard -> shard.id().equals(id)).findFirst();
  }
}
