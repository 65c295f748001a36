package io.tributary.cli.plan;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.SourceTable;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which jobs have to be submitted anew. A job is given the registry once, when it is submitted; of
 * what is published later only the coordinator takes notice, and of that only the shards and who
 * reads them.
 */
final class JobSteps {
  /** What a job reads: another one in any of it goes on from no state of the old one's. */
  private record Reading(ServerName server, SourceTable source) {}

  private final Edit edit;

  JobSteps(Edit edit) {
    this.edit = edit;
  }

  List<JobStep> steps() {
    List<JobStep> steps = new ArrayList<>();
    steps.add(coordinator());
    edit.groups().forEach(group -> steps.add(group(group)));
    return steps;
  }

  private JobStep coordinator() {
    if (edit.before().isEmpty()) {
      return new JobStep(Optional.empty(), JobStep.Kind.START, List.of("nothing was published"));
    }
    Registry was = edit.before().get();
    Registry is = edit.after();
    List<String> why = new ArrayList<>();
    if (!was.coordinator().equals(is.coordinator())) {
      why.add("its settings");
    }
    shared(was, is, why);
    for (TableName table : edit.tables()) {
      Optional<TableSpec> before = Edit.table(was, table);
      Optional<TableSpec> after = Edit.table(is, table);
      if (before.isEmpty() || after.isEmpty()) {
        why.add((after.isEmpty() ? "table %s left" : "table %s came").formatted(table));
      } else if (!before.get().controlTopic().equals(after.get().controlTopic())
          || !before.get().statusTopic().equals(after.get().statusTopic())) {
        why.add("topics of table " + table);
      }
    }
    return new JobStep(
        Optional.empty(), why.isEmpty() ? JobStep.Kind.NONE : JobStep.Kind.REPLACE, why);
  }

  private static void shared(Registry was, Registry is, List<String> why) {
    if (!was.catalog().equals(is.catalog())) {
      why.add("the catalog's settings");
    }
    if (!was.kafka().equals(is.kafka())) {
      why.add("Kafka's settings");
    }
  }

  private JobStep group(GroupName name) {
    Optional<Registry> was = edit.before().filter(r -> Edit.group(r, name).isPresent());
    Registry is = edit.after();
    boolean readBefore = was.filter(r -> !r.activeShardsOf(name).isEmpty()).isPresent();
    boolean reads = !is.activeShardsOf(name).isEmpty();
    if (!reads) {
      return readBefore
          ? step(name, JobStep.Kind.CANCEL, List.of("no active shard is left to it"))
          : step(name, JobStep.Kind.NONE, List.of());
    }
    if (!readBefore) {
      return step(name, JobStep.Kind.START, List.of("it had no active shard"));
    }
    List<String> anew = new ArrayList<>();
    GroupSpec before = was.get().group(name);
    GroupSpec after = is.group(name);
    TableSpec tableBefore = was.get().table(before.table());
    TableSpec tableAfter = is.table(after.table());
    if (!reading(was.get(), name).equals(reading(is, name))) {
      anew.add("other shards");
    }
    if (!rows(tableBefore).equals(rows(tableAfter))) {
      anew.add("columns, key or layout of table " + after.table());
    }
    List<String> settings = new ArrayList<>();
    if (!before.equals(after)) {
      settings.add("its settings");
    }
    shared(was.get(), is, settings);
    if (!reader(tableBefore).equals(reader(tableAfter))) {
      settings.add("settings of table " + after.table());
    }
    for (ServerSpec server : is.serversOf(name)) {
      if (Edit.server(was.get(), server.name())
          .filter(known -> !known.equals(server))
          .isPresent()) {
        settings.add("settings of server " + server.name());
      }
    }
    if (anew.isEmpty() && settings.isEmpty()) {
      return step(name, JobStep.Kind.NONE, List.of());
    }
    JobStep.Kind kind = anew.isEmpty() ? JobStep.Kind.RESUBMIT : JobStep.Kind.RESUBMIT_FROM_TABLE;
    anew.addAll(settings);
    return step(name, kind, anew);
  }

  private static JobStep step(GroupName name, JobStep.Kind kind, List<String> why) {
    return new JobStep(Optional.of(name), kind, why);
  }

  private static TreeMap<ShardId, Reading> reading(Registry registry, GroupName group) {
    TreeMap<ShardId, Reading> all = new TreeMap<>();
    for (ShardSpec shard : registry.activeShardsOf(group)) {
      all.put(shard.id(), new Reading(shard.server(), shard.source()));
    }
    return all;
  }

  /** What makes a row of the table. */
  private static List<Object> rows(TableSpec table) {
    return List.of(
        table.name(),
        table.key(),
        table.bucketColumn(),
        table.bucketCount(),
        table.shardIdColumn(),
        table.columnTypes());
  }

  /** What else a group's job takes from its table. */
  private static List<Object> reader(TableSpec table) {
    return List.of(
        table.chunkKeyColumn(),
        table.schemaChangeBehavior(),
        table.truncateBehavior(),
        table.controlTopic());
  }
}
