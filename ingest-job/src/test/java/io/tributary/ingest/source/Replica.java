package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.types.RowKind;

/**
 * The rows that are left when all that a source delivers is applied in its order. Strict: a row
 * that is copied or inserted where there is one, and a change or deletion of a row that is not
 * there, are faults, also where later events cover them up.
 */
final class Replica {
  private static final int MOST_FAULTS = 20;

  private final SourceSpec spec;
  private final ServerText text;
  private final Map<ShardId, Map<List<String>, List<String>>> shards = new HashMap<>();
  private final List<String> faults = new ArrayList<>();
  private int events;

  Replica(SourceSpec spec) {
    this.spec = spec;
    this.text = new ServerText(spec.layout());
  }

  Replica apply(List<ShardRow> rows) {
    rows.forEach(this::apply);
    return this;
  }

  private void apply(ShardRow row) {
    events++;
    List<String> values = text.of(row.row());
    List<String> key = text.keyOf(values);
    Map<List<String>, List<String>> shard =
        shards.computeIfAbsent(row.shard(), any -> new HashMap<>());
    RowKind kind = row.row().getRowKind();
    List<String> before = kind == RowKind.DELETE ? shard.remove(key) : shard.put(key, values);
    if ((kind == RowKind.INSERT) != (before == null) && faults.size() < MOST_FAULTS) {
      faults.add(
          "event %d of shard %s: %s of %s, where there was %s"
              .formatted(events, row.shard(), row.origin() + " " + kind, values, before));
    }
  }

  /** Each row once, each change delivered, and all that is left is what the server has. */
  void assertEqualTo(Connection connection) throws SQLException {
    assertThat(faults).as("rows that came twice, or changes of rows that never came").isEmpty();
    for (SourceSpec.Shard shard : spec.shards()) {
      String table = "`%s`.`%s`".formatted(shard.database(), shard.table());
      Map<List<String>, List<String>> expected = text.rows(connection, table);
      Map<String, String> differences = new TreeMap<>();
      Map<List<String>, List<String>> found = shards.getOrDefault(shard.id(), Map.of());
      expected.forEach(
          (key, values) -> {
            if (!values.equals(found.get(key))) {
              differences.put(key.toString(), values + ", found " + found.get(key));
            }
          });
      found.forEach(
          (key, values) -> {
            if (!expected.containsKey(key)) {
              differences.put(key.toString(), "no row, found " + values);
            }
          });
      assertThat(differences).as("rows of %s of %d", shard, expected.size()).isEmpty();
    }
  }

  /** Whether a shard has a row with this text, as the server writes it, in a column. */
  boolean has(int shard, String column, String value) {
    int place = spec.layout().names().indexOf(column);
    return Optional.ofNullable(shards.get(new ShardId(shard))).orElse(Map.of()).values().stream()
        .anyMatch(values -> value.equals(values.get(place)));
  }
}
