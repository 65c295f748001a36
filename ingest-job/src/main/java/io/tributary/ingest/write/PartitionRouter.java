package io.tributary.ingest.write;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableProposal;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.RowDataWrapper;

/**
 * Numbers the partitions of a group's shards without gaps, so that they spread evenly over the
 * writers and each has exactly one. The bucket is computed by Iceberg's own transform: a row must
 * not reach another writer than the rest of its partition.
 */
public final class PartitionRouter implements KeySelector<ShardRow, Integer> {
  private final TableProposal proposal;
  private final Map<Integer, Integer> rankOfShard = new HashMap<>();

  private transient PartitionKey partition;
  private transient RowDataWrapper wrapper;

  /**
   * @param shards the shards whose rows come
   */
  public PartitionRouter(TableProposal proposal, Collection<ShardId> shards) {
    this.proposal = proposal;
    for (ShardId shard : new TreeSet<>(shards)) {
      rankOfShard.put(shard.value(), rankOfShard.size());
    }
  }

  /** The number of the row's partition among those of all shards, from 0. */
  @Override
  public Integer getKey(ShardRow row) {
    if (partition == null) {
      Schema schema = SchemaParser.fromJson(proposal.schemaJson());
      PartitionSpec spec =
          PartitionSpec.builderFor(schema)
              .identity(proposal.shardColumn())
              .bucket(proposal.bucketColumn(), proposal.bucketCount())
              .build();
      partition = new PartitionKey(spec, schema);
      wrapper = new RowDataWrapper(FlinkSchemaUtil.convert(schema), schema.asStruct());
    }
    Integer rank = rankOfShard.get(row.shard().value());
    if (rank == null) {
      throw new IllegalArgumentException(
          "Cannot route a row of shard %s: expected one of the shards of this job, found another"
              .formatted(row.shard()));
    }
    partition.partition(wrapper.wrap(row.row()));
    return rank * proposal.bucketCount() + partition.get(1, Integer.class);
  }

  /** Deals the partitions out to the writers. */
  public static final class Deal implements Partitioner<Integer> {
    @Override
    public int partition(Integer key, int writers) {
      return key % writers;
    }
  }
}
