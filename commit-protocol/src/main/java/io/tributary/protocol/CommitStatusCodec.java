package io.tributary.protocol;

import static io.tributary.protocol.ProtocolJson.array;
import static io.tributary.protocol.ProtocolJson.instant;
import static io.tributary.protocol.ProtocolJson.number;
import static io.tributary.protocol.ProtocolJson.optional;
import static io.tributary.protocol.ProtocolJson.required;
import static io.tributary.protocol.ProtocolJson.smallNumber;
import static io.tributary.protocol.ProtocolJson.text;
import static io.tributary.protocol.ProtocolJson.truth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A commit-status message as a CloudEvents 1.0 event in structured JSON mode, one per Kafka record;
 * its schema is the resource {@code commit-status.schema.json} of this module.
 */
public final class CommitStatusCodec {
  /** The CloudEvents type; its last part is the version of the data's schema. */
  public static final String TYPE = "io.tributary.commit-status.v1";

  private CommitStatusCodec() {}

  public static byte[] encode(CommitStatus status) {
    ObjectNode event =
        ProtocolJson.object()
            .put("specversion", "1.0")
            .put("id", status.id())
            .put("source", "tributary/" + status.table())
            .put("type", TYPE)
            .put("subject", status.table().value())
            .put("time", status.committedAt().toString())
            .put("datacontenttype", "application/json");
    ObjectNode data =
        event
            .putObject("data")
            .put("table", status.table().value())
            .put("tableUuid", status.tableUuid().toString())
            .put("round", status.round().value())
            .put("term", status.term().value());
    status
        .snapshot()
        .ifPresentOrElse(
            snapshot -> {
              data.put("snapshotId", snapshot.id());
              snapshot
                  .parentId()
                  .ifPresentOrElse(
                      parent -> data.put("parentSnapshotId", parent),
                      () -> data.putNull("parentSnapshotId"));
              data.put("sequenceNumber", snapshot.sequenceNumber());
            },
            () -> data.putNull("snapshotId").putNull("parentSnapshotId").putNull("sequenceNumber"));
    data.put("dataRound", status.dataRound());
    status
        .validThrough()
        .ifPresentOrElse(
            w -> data.put("validThrough", w.toString()), () -> data.putNull("validThrough"));
    ArrayNode notCovered = data.putArray("notCovered");
    status
        .notCovered()
        .forEach(
            entry ->
                notCovered
                    .addObject()
                    .put("shard", entry.shard().value())
                    .put("reason", entry.reason()));
    ArrayNode shards = data.putArray("shards");
    for (CommitStatus.Shard shard : status.shards()) {
      ObjectNode node =
          shards
              .addObject()
              .put("shard", shard.shard().value())
              .put("group", shard.group().value())
              .put("phase", shard.phase().wireName());
      shard
          .watermark()
          .ifPresentOrElse(
              w -> node.put("watermark", w.toString()), () -> node.putNull("watermark"));
      node.put("epoch", shard.epoch().value());
    }
    ArrayNode sources = data.putArray("sources");
    for (CommitStatus.Source source : status.sources()) {
      sources
          .addObject()
          .put("group", source.group().value())
          .put("server", source.server().value())
          .set("position", PartsJson.position(source.position()));
    }
    data.put("registryVersion", status.registryVersion());
    data.set("added", PartsJson.counts(status.added()));
    data.set("removed", PartsJson.counts(status.removed()));
    data.put("committedAt", status.committedAt().toString());
    return ProtocolJson.bytes(event);
  }

  /**
   * @throws UnreadableMessageException when the bytes are no commit-status message of this version;
   *     unknown fields are skipped, since later versions may add some
   */
  public static CommitStatus decode(byte[] bytes) {
    JsonNode event = ProtocolJson.parse(bytes, 0, bytes.length);
    if (!TYPE.equals(text(event, "type"))) {
      throw new UnreadableMessageException(
          "Cannot read a commit status: expected type " + TYPE + ", found " + text(event, "type"));
    }
    JsonNode data = required(event, "data");
    try {
      return status(data);
    } catch (IllegalArgumentException e) {
      throw new UnreadableMessageException("Cannot read a commit status: " + e.getMessage(), e);
    }
  }

  private static CommitStatus status(JsonNode data) {
    List<CommitStatus.NotCovered> notCovered = new ArrayList<>();
    for (JsonNode node : array(data, "notCovered")) {
      notCovered.add(
          new CommitStatus.NotCovered(
              new ShardId(smallNumber(node, "shard")), text(node, "reason")));
    }
    List<CommitStatus.Shard> shards = new ArrayList<>();
    for (JsonNode node : array(data, "shards")) {
      shards.add(
          new CommitStatus.Shard(
              new ShardId(smallNumber(node, "shard")),
              new GroupName(text(node, "group")),
              ShardPhase.parse(text(node, "phase")),
              optional(node, "watermark").map(w -> new Watermark(instant(node, "watermark"))),
              new Epoch(number(node, "epoch"))));
    }
    List<CommitStatus.Source> sources = new ArrayList<>();
    for (JsonNode node : array(data, "sources")) {
      sources.add(
          new CommitStatus.Source(
              new GroupName(text(node, "group")),
              new ServerName(text(node, "server")),
              PartsJson.position(required(node, "position"))));
    }
    return new CommitStatus(
        new TableName(text(data, "table")),
        TableUuid.parse(text(data, "tableUuid")),
        new RoundNumber(number(data, "round")),
        new Term(number(data, "term")),
        optional(data, "snapshotId")
            .map(
                id ->
                    new IcebergSnapshot(
                        number(data, "snapshotId"),
                        optional(data, "parentSnapshotId")
                            .map(parent -> OptionalLong.of(parent.longValue()))
                            .orElse(OptionalLong.empty()),
                        number(data, "sequenceNumber"))),
        truth(data, "dataRound"),
        optional(data, "validThrough").map(w -> new Watermark(instant(data, "validThrough"))),
        notCovered,
        shards,
        sources,
        number(data, "registryVersion"),
        PartsJson.counts(required(data, "added")),
        PartsJson.counts(required(data, "removed")),
        instant(data, "committedAt"));
  }
}
