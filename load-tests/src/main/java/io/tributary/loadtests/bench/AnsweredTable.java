package io.tributary.loadtests.bench;

import io.tributary.ingest.row.TableColumns;
import io.tributary.ingest.source.Gate;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.ingest.table.TableStateReader;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;

/**
 * Lets the product's source read without a coordinator: says what a table said to the product's own
 * job, with the answer to another submission.
 */
final class AnsweredTable implements TableStateReader {
  private static final long serialVersionUID = 1L;

  private final TreeMap<String, String> state;
  private final String schema;

  /**
   * @param said what a table said to the product's job
   * @param gate who is answered
   * @param copied whether changes are read from there on; else all is copied
   */
  AnsweredTable(TableState said, Gate gate, Schema schema, boolean copied) {
    GroupState before = said.group(gate.group()).orElseThrow();
    TreeMap<GroupName, GroupState> groups = new TreeMap<>(said.groups());
    groups.put(
        gate.group(),
        new GroupState(
            gate.incarnation(),
            gate.submission(),
            before.helloOffset(),
            HelloAnswer.START_FROM_TABLE,
            before.epoch(),
            before.epoch(),
            before.chain(),
            Optional.empty()));
    TreeMap<ShardId, ShardState> shards = new TreeMap<>(said.shards());
    if (!copied) {
      shards.replaceAll((shard, state) -> ShardState.registered(state.group(), state.server()));
    }
    this.state =
        new TreeMap<>(
            TableStateCodec.encode(
                new TableState(
                    said.tableUuid(),
                    said.round(),
                    said.term(),
                    said.owner(),
                    said.plan(),
                    said.registryVersion(),
                    said.controlOffset(),
                    said.validThrough(),
                    said.snapshot(),
                    said.dataRound(),
                    said.added(),
                    said.removed(),
                    said.committedAt(),
                    groups,
                    shards,
                    said.sources())));
    this.schema = SchemaParser.toJson(schema);
  }

  @Override
  public Optional<TableState> read() {
    return TableStateCodec.decode((Map<String, String>) state);
  }

  @Override
  public Optional<TableColumns> columns() {
    return Optional.of(IcebergColumns.of(SchemaParser.fromJson(schema)));
  }
}
