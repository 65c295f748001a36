package io.tributary.coordinator;

import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Hello;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SourceProgress;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Watermark;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** An ingest job of one shard, as the coordinator knows it: by what it says on the topic. */
final class TestGroup implements AutoCloseable {
  static final ServerName SERVER = new ServerName("mysql-a");

  private final TableName table;
  private final GroupName name;
  private final ShardId shard;
  private final KafkaProducer<byte[], byte[]> producer;
  private final SubmissionId submission = new SubmissionId(UUID.randomUUID());
  private Incarnation incarnation = new Incarnation(1);
  private Optional<Continuation> last = Optional.empty();

  TestGroup(TableName table, String name, int shard, String bootstrapServers) {
    this.table = table;
    this.name = new GroupName(name);
    this.shard = new ShardId(shard);
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers, "acks", "all"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  GroupName name() {
    return name;
  }

  SubmissionId submission() {
    return submission;
  }

  int shard() {
    return shard.value();
  }

  void hello() {
    send(
        new Hello(
            table,
            name,
            incarnation,
            submission,
            last,
            proposal(),
            List.of(shard),
            0,
            Instant.now()));
  }

  /** A later submission of the group, which will start from the table. */
  TestGroup incarnation(Incarnation other) {
    incarnation = other;
    return this;
  }

  /** Goes on from what the table remembers of the group. */
  void startFrom(GroupState state) {
    last = Optional.of(new Continuation(state.epoch(), state.chain()));
  }

  static TableProposal proposal() {
    return new TableProposal(
        SchemaParser.toJson(
            new Schema(
                List.of(
                    Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                    Types.NestedField.required(2, "id", Types.LongType.get()),
                    Types.NestedField.optional(3, "name", Types.StringType.get())),
                java.util.Set.of(1, 2))),
        "shard_id",
        "id",
        1);
  }

  /** Seals and sends the next epoch. */
  Committable epoch(Table iceberg, Slice... slices) {
    TableUuid uuid = new TableUuid(iceberg.uuid());
    Epoch epoch = last.map(before -> before.epoch().next()).orElse(new Epoch(1));
    ChainHash previous = last.map(Continuation::chain).orElse(ChainHash.first(uuid, name));
    List<ShardProgress> shards =
        List.of(
            new ShardProgress(
                shard,
                SERVER,
                ShardPhase.ACTIVE,
                Optional.of(new Watermark(Instant.now())),
                0,
                0,
                Optional.empty()));
    List<SourceProgress> sources =
        List.of(
            new SourceProgress(
                SERVER, Optional.of(SourcePosition.of("bin.000001", 1_000 * epoch.value()))));
    ChainHash chain = ChainHash.of(uuid, name, epoch, previous, List.of(slices), shards, sources);
    Committable committable =
        new Committable(
            table,
            uuid,
            name,
            incarnation,
            submission,
            epoch,
            previous,
            chain,
            iceberg.schema().schemaId(),
            iceberg.spec().specId(),
            2,
            0,
            epoch.value(),
            Instant.now(),
            List.of(slices),
            shards,
            sources);
    last = Optional.of(new Continuation(epoch, chain));
    send(committable);
    return committable;
  }

  /** An epoch with one upserted row. */
  void upsert(Table iceberg, long id, String value) {
    epoch(iceberg, new TableFiles(iceberg).upsert(shard.value(), new TableFiles.Row(id, value)));
  }

  /** An epoch that copies the whole shard, of one row, from emptied partitions. */
  void copy(Table iceberg, long id, String value) {
    Slice rows = new TableFiles(iceberg).rows(shard.value(), new TableFiles.Row(id, value));
    epoch(
        iceberg,
        new Slice(new java.util.TreeSet<>(List.of(shard)), rows.manifests(), rows.counts()));
  }

  /** Asks for columns. */
  void request(Table iceberg, RequestedColumn... columns) {
    send(
        new SchemaRequest(
            table,
            new TableUuid(iceberg.uuid()),
            name,
            incarnation,
            submission,
            shard,
            List.of(columns),
            SourcePosition.of("bin.000001", 4_711),
            Instant.now()));
  }

  void send(ControlMessage message) {
    try {
      producer
          .send(
              new ProducerRecord<>(
                  "tributary.control." + table,
                  0,
                  message.group().value().getBytes(StandardCharsets.UTF_8),
                  ControlMessageCodec.encode(message)))
          .get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    producer.close();
  }
}
