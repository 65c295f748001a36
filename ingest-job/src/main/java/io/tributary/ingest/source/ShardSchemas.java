package io.tributary.ingest.source;

import io.debezium.relational.Column;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.CharacterTable;
import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.RowForm;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardFit;
import io.tributary.ingest.row.SourceColumn;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.TableColumns;
import io.tributary.ingest.row.TypeMapping;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.table.TableStateReader;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import io.tributary.registry.SchemaChangeBehavior;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out how the columns that shards have from some position on fit the table as it is.
 *
 * <pre>
 *   columns fit -------------------------------> rows can be read
 *   the table lacks some, or is too narrow ----> waited for, the coordinator is asked
 *   nothing that is added or widened helps ----> the shard is halted
 * </pre>
 *
 * <p>The names are those of the position; the types are the server's own as they are now, which
 * alone are free of synonyms and defaults of all kinds. A type that was widened since is asked for
 * a little early, which harms nobody.
 */
final class ShardSchemas {
  private static final Logger LOG = LoggerFactory.getLogger(ShardSchemas.class);
  private static final String CURE =
      "; cure: change the columns back or make the table fit, pause the shard in the registry, start the group anew, then resume the shard: it is copied anew";

  private final SourceSpec spec;
  private final TableStateReader table;
  private final Map<String, CharacterTable> characterTables = new HashMap<>();

  ShardSchemas(SourceSpec spec, TableStateReader table) {
    this.spec = spec;
    this.table = table;
  }

  /** What came of a look. */
  sealed interface Answer {}

  /**
   * Rows can be read.
   *
   * @param layouts of all shards that were asked for but the refused ones
   */
  record Fitting(
      RowForm form,
      Map<ShardId, RowLayout> layouts,
      Map<ShardId, String> refused,
      TableColumns table,
      Map<ShardId, ShardFit> fits)
      implements Answer {}

  /**
   * What is known of a shard's columns beside what the table says.
   *
   * @param names the columns that it has from the position on; absent where they are not known
   * @param bindings what the source remembers of them; absent when it remembers nothing
   * @param change what changed since, as far as the source has learned it only now
   */
  record Known(
      Optional<List<String>> names,
      Optional<ColumnBindings> bindings,
      Optional<ColumnBindings.Change> change) {}

  /** The table has to get columns first. */
  record Lacking(List<SchemaWish> wishes) implements Answer {}

  /**
   * @param shards to be read
   * @param known what is known of their columns
   * @param copied whether the shards' rows are copied, and not changes read
   * @param statements what changed a shard last, with its place, for messages
   * @throws SQLException when the server does not answer
   * @throws RuntimeException when the catalog does not answer
   */
  Answer look(
      List<SourceSpec.Shard> shards,
      Map<ShardId, Known> known,
      boolean copied,
      Map<ShardId, String> statements,
      SourcePosition position)
      throws SQLException {
    // The state before the columns: what they both changed since, the columns say.
    Optional<TableState> state = table.read();
    TableColumns columns =
        table
            .columns()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "Cannot read server %s: expected its table, found none"
                            .formatted(spec.server())));
    Map<ShardId, ShardFit> fits = new LinkedHashMap<>();
    Map<ShardId, String> refused = new HashMap<>();
    try (ServerCatalog catalog = new ServerCatalog(spec.connection())) {
      for (SourceSpec.Shard shard : shards) {
        List<String> problems = new ArrayList<>();
        Known mine = known.get(shard.id());
        ColumnBindings bindings = bindings(shard.id(), mine, copied, state, columns);
        Optional<RowLayout> found =
            layout(
                shard,
                describe(catalog, shard),
                mine.names(),
                name -> bindings.bound(name, columns).map(TableColumns.Column::name),
                problems);
        Optional<ShardFit> fit =
            found.map(
                layout -> ShardFit.of(layout, columns, bindings, elsewhere(shard.id(), state)));
        fit.ifPresent(compared -> problems.addAll(compared.problems()));
        boolean lacks = fit.filter(compared -> !compared.missing().isEmpty()).isPresent();
        if (lacks && spec.schemas().behavior() == SchemaChangeBehavior.EXCEPTION) {
          problems.add(
              "expected no change of columns (schema.change.behavior: exception), found %s, which the table does not hold"
                  .formatted(fit.get().missing()));
        }
        if (!problems.isEmpty()) {
          refused.put(shard.id(), refusal(shard, problems, statements, position));
        } else {
          fits.put(shard.id(), fit.orElseThrow());
        }
      }
    }
    ColumnsVerdict verdict =
        ColumnsVerdict.of(fits, position, EnumSet.allOf(SealerProtection.class));
    if (verdict instanceof ColumnsVerdict.Lacking lacking) {
      return new Lacking(lacking.wishes());
    }
    Map<ShardId, RowLayout> layouts = ((ColumnsVerdict.Fitting) verdict).layouts();
    loadCharacterTables(layouts.values());
    return new Fitting(
        RowForm.of(columns, spec.layout().shardColumn(), spec.layout().names()),
        layouts,
        refused,
        columns,
        fits);
  }

  /**
   * What is remembered of a shard's columns: by the source, which saw the statements, else by the
   * table.
   */
  private static ColumnBindings bindings(
      ShardId shard,
      Known known,
      boolean copied,
      Optional<TableState> state,
      TableColumns columns) {
    ColumnBindings bindings =
        known
            .bindings()
            .or(
                () ->
                    state
                        .flatMap(all -> all.shard(shard))
                        .map(
                            mine ->
                                ColumnBindings.of(
                                    mine.columns(),
                                    columns,
                                    copied || mine.phase() != ShardPhase.ACTIVE)))
            .orElse(ColumnBindings.NONE);
    return known.change().map(change -> bindings.behind(change, columns)).orElse(bindings);
  }

  /** The names that other shards gave to columns of the table, each with the column's field. */
  private static Map<String, Integer> elsewhere(ShardId shard, Optional<TableState> state) {
    Map<String, Integer> names = new HashMap<>();
    Set<String> unclear = new HashSet<>();
    state
        .map(TableState::shards)
        .ifPresent(
            shards ->
                shards.forEach(
                    (id, other) -> {
                      if (!id.equals(shard) && other.phase() != ShardPhase.RETIRED) {
                        other
                            .columns()
                            .renamed()
                            .forEach(
                                (field, name) -> {
                                  Integer before = names.put(name, field);
                                  if (before != null && !before.equals(field)) {
                                    unclear.add(name);
                                  }
                                });
                      }
                    }));
    names.keySet().removeAll(unclear);
    return names;
  }

  /**
   * Shards that the table says are halted: their columns are nobody's concern any more.
   *
   * @throws RuntimeException when the catalog does not answer
   */
  Set<ShardId> haltedInTable() {
    return table.read().stream()
        .flatMap(state -> state.shards().entrySet().stream())
        .filter(entry -> entry.getValue().phase() == ShardPhase.HALTED)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Tables of all character sets of the layouts that were found so far. */
  Map<String, CharacterTable> characterTables() {
    return characterTables;
  }

  private void loadCharacterTables(Iterable<RowLayout> layouts) {
    Set<String> sets = new TreeSet<>();
    layouts.forEach(
        layout -> layout.columns().stream().map(RowLayout.Column::characterSet).forEach(sets::add));
    sets.remove("");
    sets.removeAll(characterTables.keySet());
    if (!sets.isEmpty()) {
      characterTables.putAll(CharacterTables.load(spec, sets));
    }
  }

  /** Why a shard is read no more, with the cure. */
  String refusal(
      SourceSpec.Shard shard,
      List<String> problems,
      Map<ShardId, String> statements,
      SourcePosition position) {
    return "Cannot read on %s of server %s at %s: %s%s%s"
        .formatted(
            shard,
            spec.server(),
            position,
            String.join("; ", problems),
            behind(statements, shard.id()),
            CURE);
  }

  /** The names of a table's columns, in its order. */
  static List<String> columnNames(TableChange table) {
    return table.getTable().columns().stream().map(Column::name).toList();
  }

  /** The end of a sentence about a shard: what changed it last, if that is known. */
  private static String behind(Map<ShardId, String> statements, ShardId shard) {
    return Optional.ofNullable(statements.get(shard))
        .map(statement -> ", behind " + statement)
        .orElse("");
  }

  private static Optional<SourceSchema> describe(ServerCatalog catalog, SourceSpec.Shard shard)
      throws SQLException {
    try {
      return catalog.describe(List.of(shard)).stream().findFirst();
    } catch (UnfitSourceException e) {
      // It is gone by now; what went before is still to be read.
      LOG.info("{}", e.getMessage());
      return Optional.empty();
    }
  }

  private Optional<RowLayout> layout(
      SourceSpec.Shard shard,
      Optional<SourceSchema> described,
      Optional<List<String>> atPosition,
      Function<String, Optional<String>> tableName,
      List<String> problems) {
    List<String> names =
        atPosition
            .or(() -> described.map(now -> now.columns().stream().map(SourceColumn::name).toList()))
            .orElse(spec.layout().names());
    List<RowLayout.Column> columns = new ArrayList<>();
    for (String name : names) {
      Optional<SourceColumn> now = described.flatMap(table -> table.column(name));
      if (now.isPresent()) {
        TypeMapping.Answer answer =
            TypeMapping.of(
                now.get(),
                Optional.ofNullable(spec.schemas().columnTypes().get(name))
                    .or(() -> tableName.apply(name).map(spec.schemas().columnTypes()::get)));
        if (answer instanceof TypeMapping.Mapped mapped) {
          columns.add(LayoutPlanner.layoutColumn(now.get(), mapped));
        } else if (answer instanceof TypeMapping.Refused refusedType) {
          problems.add(
              "expected column '%s' of a type that the table can hold without loss, found %s; %s"
                  .formatted(name, refusedType.reason(), refusedType.cure()));
        }
      } else {
        spec.layout()
            .column(name)
            .ifPresentOrElse(
                columns::add,
                () ->
                    problems.add(
                        "expected to learn the type of column '%s' from the server, found it gone again"
                            .formatted(name)));
      }
    }
    List<String> present = columns.stream().map(RowLayout.Column::name).toList();
    List<Integer> key = spec.layout().keyNames().stream().map(present::indexOf).toList();
    if (key.contains(-1) || columns.isEmpty()) {
      problems.add(
          "expected the key's columns (%s), found columns %s"
              .formatted(String.join(", ", spec.layout().keyNames()), present));
      return Optional.empty();
    }
    described
        .filter(now -> !isKey(now, new HashSet<>(spec.layout().keyNames())))
        .ifPresent(
            now ->
                problems.add(
                    "expected (%s) to be a key of %s, found primary key (%s)"
                        .formatted(
                            String.join(", ", spec.layout().keyNames()),
                            shard,
                            String.join(", ", now.primaryKey()))));
    return Optional.of(new RowLayout(spec.layout().shardColumn(), columns, key));
  }

  private static boolean isKey(SourceSchema table, Set<String> columns) {
    return columns.equals(new HashSet<>(table.primaryKey()))
        || table.uniqueKeys().stream().anyMatch(key -> columns.equals(new HashSet<>(key)));
  }
}
