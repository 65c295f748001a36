package io.tributary.cli.plan;

import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.TableName;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryChange;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableKey;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What becomes of one table's own settings. */
final class TableLines {
  private static final String TYPE = "column-types.";

  private final Edit edit;
  private final TableName table;
  private final TableFacts facts;
  private final String subject;

  TableLines(Edit edit, TableName table) {
    this.edit = edit;
    this.table = table;
    this.facts = edit.facts(table);
    this.subject = "table " + table;
  }

  List<PlanLine> lines() {
    List<PlanLine> lines = new ArrayList<>();
    Optional<TableSpec> was = edit.before().flatMap(registry -> Edit.table(registry, table));
    Optional<TableSpec> is = Edit.table(edit.after(), table);
    if (was.isEmpty() && is.isPresent()) {
      lines.add(added());
      contradiction(is.get()).ifPresent(text -> lines.add(refused(edit.texts(subject), text)));
    } else if (is.isEmpty()) {
      lines.add(removed());
    } else {
      for (RegistryChange change : edit.changes(subject)) {
        lines.add(changed(change, was.orElseThrow(), is.get()));
      }
    }
    return lines;
  }

  private PlanLine added() {
    if (facts instanceof TableFacts.Foreign) {
      return line(
          Effect.CHANGES,
          edit.texts(subject),
          "the catalog has a table of this name that no coordinator made: the coordinator stops for it",
          "of others; adopting it removes those that are in no source",
          "submit a group of it, then: tributary adopt " + table);
    }
    if (facts instanceof TableFacts.Ours) {
      return line(
          Effect.CHANGES,
          edit.texts(subject),
          "the table is there: the coordinator goes on with it",
          "stay as they are",
          "");
    }
    return line(
        Effect.STARTS,
        edit.texts(subject),
        "the coordinator makes it as the first group's sources need it",
        "",
        "");
  }

  private PlanLine removed() {
    boolean alive =
        facts.ledger().stream()
            .flatMap(state -> state.shards().values().stream())
            .anyMatch(shard -> shard.started() && shard.phase() != ShardPhase.RETIRED);
    if (alive) {
      return refused(
          edit.texts(subject),
          "Cannot drop table %s: expected all its shards retired, found shards that are read%s; cure: retire its shards first, and drop it once the table says so"
              .formatted(
                  table,
                  newName()
                      .map(
                          name ->
                              " (a table cannot be renamed: %s would be a new one, and every shard copied anew)"
                                  .formatted(name))
                      .orElse("")));
    }
    return line(
        facts instanceof TableFacts.Unlooked ? Effect.UNKNOWN : Effect.STOPS,
        edit.texts(subject),
        "the coordinator works on it until it is submitted anew"
            + (facts instanceof TableFacts.Unlooked
                ? "; whether shards of it are read was not looked at"
                : ""),
        "stay in the catalog, with their metadata",
        "");
  }

  /** The table that now has a source table which this one had. */
  private Optional<TableName> newName() {
    return edit.after().shards().stream()
        .filter(
            now ->
                edit.before().map(Registry::shards).orElse(List.of()).stream()
                    .anyMatch(
                        then ->
                            then.table().equals(table)
                                && then.server().equals(now.server())
                                && then.source().equals(now.source())))
        .map(ShardSpec::table)
        .findFirst();
  }

  private PlanLine changed(RegistryChange change, TableSpec was, TableSpec is) {
    List<String> text = List.of(change.toString());
    String setting = change.setting().orElse("");
    boolean there = facts.laidOut().isPresent();
    if (facts instanceof TableFacts.Unlooked
        && (setting.startsWith(TYPE) || isLayout(setting) || setting.endsWith("-topic"))) {
      return line(
          Effect.UNKNOWN,
          text,
          "whether the table is there was not looked at: one that is cannot be changed so",
          "",
          "plan again from where the catalog can be reached");
    }
    if (setting.startsWith(TYPE)) {
      return type(text, setting.substring(TYPE.length()), was, is);
    }
    if (isLayout(setting)) {
      return contradiction(is)
          .map(found -> refused(text, found))
          .orElseGet(
              () ->
                  line(
                      Effect.CHANGES,
                      text,
                      there
                          ? "this is how the table is, as far as the registry says"
                          : "used when the table is made",
                      "",
                      ""));
    }
    if (setting.endsWith("-topic")) {
      return facts.ledger().isEmpty()
          ? line(Effect.CHANGES, text, "used once the jobs are submitted", "", "")
          : refused(
              text,
              "Cannot give table %s another %s: expected %s, on which its rounds stand, found %s; cure: restore it"
                  .formatted(
                      table,
                      setting,
                      change.before().orElse("none"),
                      change.after().orElse("none")));
    }
    if (setting.equals("owner") || setting.startsWith("properties.")) {
      return line(
          Effect.CHANGES,
          text,
          there
              ? "the table has its properties from when it was made: this changes none of them"
              : "used when the table is made",
          "",
          there ? "set it on the table by an engine of yours where it is wanted" : "");
    }
    return line(Effect.CHANGES, text, "a group's job takes it when it is submitted anew", "", "");
  }

  private static boolean isLayout(String setting) {
    return List.of("key", "bucket-column", "bucket-count", "shard-id-column").contains(setting);
  }

  /** How the registry contradicts the table, as far as it does not leave it to the sources. */
  private Optional<String> contradiction(TableSpec wanted) {
    if (facts.laidOut().isEmpty() || facts instanceof TableFacts.Foreign) {
      return Optional.empty();
    }
    TableFacts.Shape shape = facts.laidOut().get();
    List<String> differences = new ArrayList<>();
    if (wanted.key() instanceof TableKey.Columns key) {
      SortedSet<String> names = new TreeSet<>(key.names());
      names.add(wanted.shardIdColumn());
      if (!names.equals(shape.key())) {
        differences.add("expected identifier fields %s, found %s".formatted(shape.key(), names));
      }
    }
    String shard = "identity(" + wanted.shardIdColumn() + ")";
    if (!shape.partitionFields().contains(shard)) {
      differences.add(
          "expected partition fields %s, found %s".formatted(shape.partitionFields(), shard));
    }
    String bucket = "bucket[" + wanted.bucketCount() + "]";
    Optional<String> column =
        wanted
            .bucketColumn()
            .or(
                () ->
                    wanted.key() instanceof TableKey.Columns key && key.names().size() == 1
                        ? Optional.of(key.names().get(0))
                        : Optional.empty());
    String field = column.map(name -> bucket + "(" + name + ")").orElse(bucket);
    if (shape.partitionFields().stream()
        .noneMatch(found -> column.isPresent() ? found.equals(field) : found.startsWith(field))) {
      differences.add(
          "expected partition fields %s, found %s".formatted(shape.partitionFields(), field));
    }
    return differences.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Cannot lay out table %s anew: %s; a group submitted with it is halted as schema-mismatch; cure: restore the setting, or make another table"
                .formatted(table, String.join(", ", differences)));
  }

  private PlanLine type(List<String> text, String column, TableSpec was, TableSpec is) {
    Optional<String> found =
        facts.laidOut().flatMap(shape -> Optional.ofNullable(shape.columns().get(column)));
    Optional<String> wanted = Optional.ofNullable(is.columnTypes().get(column)).map(t -> t.word());
    Optional<String> before = Optional.ofNullable(was.columnTypes().get(column)).map(t -> t.word());
    if (found.isPresent() && wanted.isPresent() && !found.equals(wanted)) {
      return refused(
          text,
          "Cannot make column %s of table %s a %s: expected %s, which it is in the table, found another type; a group submitted with it is halted as schema-mismatch; cure: restore the setting, or make another table"
              .formatted(column, table, wanted.get(), found.get()));
    }
    if (found.isPresent() && wanted.isEmpty() && found.equals(before)) {
      return refused(
          text,
          "Cannot leave the type of column %s of table %s to its sources: expected %s, which it is in the table, found no setting that makes it so; a group submitted with it is halted as schema-mismatch; cure: restore the setting, or make another table"
              .formatted(column, table, found.get()));
    }
    return line(
        Effect.CHANGES,
        text,
        found.isPresent()
            ? "this is the type that the column has in the table"
            : "used when the table gets the column",
        "",
        "");
  }

  private PlanLine refused(List<String> changes, String text) {
    return line(Effect.REFUSED, changes, text, "", "");
  }

  private PlanLine line(
      Effect effect, List<String> changes, String reason, String rows, String action) {
    return new PlanLine(effect, subject, changes, reason, rows, action);
  }
}
