package io.tributary.cli.status;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A column of the table in which shards differ from it.
 *
 * @param column its name in the table
 * @param kind how they differ
 * @param newName the name that it has at these shards; only of a renamed one
 * @param shards the shards that differ, by number
 * @param others the shards that do not, retired ones left out, by number
 * @param clash the table's other column of the new name, because of which this one cannot get it
 */
public record ColumnReport(
    String column,
    Kind kind,
    Optional<String> newName,
    List<ShardId> shards,
    List<ShardId> others,
    Optional<String> clash) {
  private static final int MOST_NAMED = 20;

  /** How shards differ from the table. */
  public enum Kind {
    /** They have the column under another name; the table follows once all have. */
    RENAMED("renamed"),
    /** They dropped it; the table keeps it. */
    DROPPED("dropped"),
    /** It came with a value in their old rows, which the table does not have. */
    UNFILLED("unfilled");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  public ColumnReport {
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(newName, "newName");
    shards = List.copyOf(shards);
    others = List.copyOf(others);
    Objects.requireNonNull(clash, "clash");
  }

  /**
   * @param state what the table remembers
   * @param names the table's columns by field id
   */
  public static List<ColumnReport> of(TableState state, Map<Integer, String> names) {
    Map<ShardId, ColumnDifferences> shards = new TreeMap<>();
    for (Map.Entry<ShardId, ShardState> shard : state.shards().entrySet()) {
      if (shard.getValue().phase() != ShardPhase.RETIRED) {
        shards.put(shard.getKey(), shard.getValue().columns().against(names));
      }
    }
    List<ColumnReport> reports = new ArrayList<>();
    for (Map.Entry<Integer, String> column : new TreeMap<>(names).entrySet()) {
      int field = column.getKey();
      Map<String, List<ShardId>> renamed = new TreeMap<>();
      TreeSet<ShardId> dropped = new TreeSet<>();
      TreeSet<ShardId> unfilled = new TreeSet<>();
      shards.forEach(
          (id, differences) -> {
            Optional.ofNullable(differences.renamed().get(field))
                .ifPresent(name -> renamed.computeIfAbsent(name, n -> new ArrayList<>()).add(id));
            if (differences.dropped().contains(field)) {
              dropped.add(id);
            }
            if (differences.unfilled().contains(field)) {
              unfilled.add(id);
            }
          });
      renamed.forEach(
          (name, at) ->
              reports.add(
                  new ColumnReport(
                      column.getValue(),
                      Kind.RENAMED,
                      Optional.of(name),
                      at,
                      without(shards, at),
                      clash(names, field, name))));
      if (!dropped.isEmpty()) {
        reports.add(report(column.getValue(), Kind.DROPPED, List.copyOf(dropped), shards));
      }
      if (!unfilled.isEmpty()) {
        reports.add(report(column.getValue(), Kind.UNFILLED, List.copyOf(unfilled), shards));
      }
    }
    return reports;
  }

  private static ColumnReport report(
      String column, Kind kind, List<ShardId> at, Map<ShardId, ColumnDifferences> shards) {
    return new ColumnReport(
        column, kind, Optional.empty(), at, without(shards, at), Optional.empty());
  }

  private static List<ShardId> without(
      Map<ShardId, ColumnDifferences> shards, List<ShardId> these) {
    return shards.keySet().stream().filter(id -> !these.contains(id)).toList();
  }

  private static Optional<String> clash(Map<Integer, String> names, int field, String name) {
    Map<Integer, String> others = new HashMap<>(names);
    others.remove(field);
    return others.values().stream().filter(name::equalsIgnoreCase).findFirst();
  }

  /** One sentence for people. */
  public String text() {
    return switch (kind) {
      case RENAMED -> renaming();
      case DROPPED ->
          "column '%s' is dropped at %s; the table keeps it".formatted(column, named(shards));
      case UNFILLED ->
          "column '%s' came with a value in the old rows of %s, which are NULL in the table; cure: copy them anew where that matters"
              .formatted(column, named(shards));
    };
  }

  private String renaming() {
    String begin =
        "column '%s' is renamed to '%s' at %s".formatted(column, newName.orElse(""), named(shards));
    if (clash.isPresent()) {
      return "%s, but the table has another column '%s'; cure: rename or drop that one, or rename this one otherwise at all shards"
          .formatted(begin, clash.get());
    }
    return others.isEmpty()
        ? begin + "; the table follows when none of them is being copied"
        : "%s, not yet at %s; the table follows when all shards have"
            .formatted(begin, named(others));
  }

  private static String named(List<ShardId> shards) {
    String all =
        shards.stream().limit(MOST_NAMED).map(ShardId::toString).collect(Collectors.joining(", "));
    int left = shards.size() - MOST_NAMED;
    return (shards.size() == 1 ? "shard " : "shards ")
        + all
        + (left > 0 ? " and " + left + " more" : "");
  }
}
