package io.tributary.ingest.write;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableProposal;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
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
import org.apache.iceberg.types.Types;

/**
 * Numbers the partitions of a group's shards without gaps, so that they spread evenly over the
 * writers and each has exactly one. The bucket is computed by Iceberg's own transform: a row must
 * not reach another writer than the rest of its partition.
 */
public final class PartitionRouter implements KeySelector<ShardRow, Integer> {
  private final TableProposal proposal;
  private final Map<Integer, Integer> rankOfShard = new HashMap<>();

  private transient Buckets buckets;

  /** Once the bucket column was widened from int to long, whose buckets are the same. */
  private transient Buckets widenedBuckets;

  private transient int bucketPlace;

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
    if (buckets == null) {
      Schema schema = SchemaParser.fromJson(proposal.schemaJson());
      buckets = new Buckets(schema);
      List<Types.NestedField> columns = schema.columns();
      while (!columns.get(bucketPlace).name().equals(proposal.bucketColumn())) {
        bucketPlace++;
      }
      widenedBuckets =
          columns.get(bucketPlace).type().equals(Types.IntegerType.get())
              ? new Buckets(widened(columns))
              : buckets;
    }
    Integer rank = rankOfShard.get(row.shard().value());
    if (rank == null) {
      throw new IllegalArgumentException(
          "Cannot route a row of shard %s: expected one of the shards of this job, found another"
              .formatted(row.shard()));
    }
    Buckets now = row.row().getField(bucketPlace) instanceof Long ? widenedBuckets : buckets;
    return rank * proposal.bucketCount() + now.of(row);
  }

  private Schema widened(List<Types.NestedField> columns) {
    return new Schema(
        columns.stream()
            .map(
                column ->
                    column.name().equals(proposal.bucketColumn())
                        ? Types.NestedField.required(
                            column.fieldId(), column.name(), Types.LongType.get())
                        : column)
            .toList());
  }

  /** Iceberg's own partitions of rows of one form. */
  private final class Buckets {
    private final PartitionKey partition;
    private final RowDataWrapper wrapper;

    Buckets(Schema schema) {
      PartitionSpec spec =
          PartitionSpec.builderFor(schema)
              .identity(proposal.shardColumn())
              .bucket(proposal.bucketColumn(), proposal.bucketCount())
              .build();
      partition = new PartitionKey(spec, schema);
      wrapper = new RowDataWrapper(FlinkSchemaUtil.convert(schema), schema.asStruct());
    }

    int of(ShardRow row) {
      partition.partition(wrapper.wrap(row.row()));
      return partition.get(1, Integer.class);
    }
  }

  /** Deals the partitions out to the writers. */
  public static final class Deal implements Partitioner<Integer> {
    @Override
    public int partition(Integer key, int writers) {
      return key % writers;
    }
  }
}
