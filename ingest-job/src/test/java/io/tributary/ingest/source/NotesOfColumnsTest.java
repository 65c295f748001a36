package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import io.debezium.relational.history.TableChanges.TableChangeType;
import io.tributary.ingest.row.ColumnBindings;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.cdc.connectors.mysql.source.offset.BinlogOffset;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplitState;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplitSerializer;
import org.junit.jupiter.api.Test;

/** What a source remembers of columns lies in the connector's state, which keeps little. */
class NotesOfColumnsTest {
  private static final TableId ID = new TableId("s", null, "t");
  private static final ColumnBindings BINDINGS =
      new ColumnBindings(
          new TreeMap<>(
              Map.of(
                  "数量 b:c",
                  new ColumnBindings.Binding(7, List.of("a", "x y")),
                  "d",
                  new ColumnBindings.Binding(8, List.of("e")))),
          new TreeSet<>(List.of(3, 4)),
          new TreeSet<>(List.of("new one")));

  private static MySqlBinlogSplitState state(String charset) {
    Table table =
        Table.editor()
            .tableId(ID)
            .addColumn(Column.editor().name("id").type("INT").jdbcType(4).create())
            .setPrimaryKeyNames("id")
            .setDefaultCharsetName(charset)
            .create();
    return new MySqlBinlogSplitState(
        new MySqlBinlogSplit(
            "binlog-split",
            BinlogOffset.ofBinlogFilePosition("b.000001", 4),
            BinlogOffset.ofNonStopping(),
            List.of(),
            new HashMap<>(Map.of(ID, new TableChange(TableChangeType.CREATE, table))),
            0));
  }

  private static MySqlBinlogSplitState restored(MySqlBinlogSplitState state) throws IOException {
    MySqlSplitSerializer serializer = MySqlSplitSerializer.INSTANCE;
    return new MySqlBinlogSplitState(
        serializer
            .deserialize(serializer.getVersion(), serializer.serialize(state.toMySqlSplit()))
            .asBinlogSplit());
  }

  @Test
  void areReadAgainAndNotPassedToTheReader() throws IOException {
    for (String charset : new String[] {"utf8mb4", null}) {
      MySqlBinlogSplitState state = state(charset);
      assertThat(LooseSchemas.bindings(state.getTableSchemas().get(ID))).isEmpty();
      LooseSchemas.bind(state, ID, BINDINGS);
      MySqlBinlogSplitState after = restored(state);
      TableChange found = after.getTableSchemas().get(ID);
      assertThat(LooseSchemas.bindings(found)).contains(BINDINGS);
      assertThat(LooseSchemas.isOfBefore(found)).isFalse();
      assertThat(
              LooseSchemas.of(after.toMySqlSplit().asBinlogSplit(), Map.of())
                  .getTableSchemas()
                  .get(ID)
                  .getTable()
                  .defaultCharsetName())
          .isEqualTo(charset);
      LooseSchemas.bind(after, ID, ColumnBindings.NONE);
      assertThat(LooseSchemas.bindings(restored(after).getTableSchemas().get(ID)))
          .contains(ColumnBindings.NONE);
    }
  }

  @Test
  void stayWhereTheColumnsAreNotKnown() throws IOException {
    MySqlBinlogSplitState state = state("utf8mb4");
    LooseSchemas.bind(state, ID, BINDINGS);
    LooseSchemas.forget(state, state.getTableSchemas().get(ID));
    TableChange found = restored(state).getTableSchemas().get(ID);
    assertThat(LooseSchemas.isOfBefore(found)).isTrue();
    assertThat(LooseSchemas.bindings(found)).contains(BINDINGS);

    MySqlBinlogSplitState plain = state("utf8mb4");
    LooseSchemas.forget(plain, plain.getTableSchemas().get(ID));
    assertThat(LooseSchemas.isOfBefore(restored(plain).getTableSchemas().get(ID))).isTrue();
  }
}
