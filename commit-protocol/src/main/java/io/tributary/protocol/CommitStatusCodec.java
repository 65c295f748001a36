package io.tributary.protocol;

import static io.tributary.protocol.ProtocolJson.array;
import static io.tributary.protocol.ProtocolJson.instant;
import static io.tributary.protocol.ProtocolJson.number;
import static io.tributary.protocol.ProtocolJson.numberText;
import static io.tributary.protocol.ProtocolJson.optional;
import static io.tributary.protocol.ProtocolJson.optionalText;
import static io.tributary.protocol.ProtocolJson.required;
import static io.tributary.protocol.ProtocolJson.smallNumber;
import static io.tributary.protocol.ProtocolJson.text;
import static io.tributary.protocol.ProtocolJson.truth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * A commit-status message as a CloudEvents 1.0 event in structured JSON mode, one per Kafka record;
 * its schema is the resource {@value #SCHEMA_RESOURCE}.
 */
public final class CommitStatusCodec {
  /** The CloudEvents type; its last part is the version of the data's schema. */
  public static final String TYPE = "io.tributary.commit-status.v1";

  /** The JSON schema of the whole message, a resource beside this class. */
  public static final String SCHEMA_RESOURCE = "commit-status.schema.json";

  /** The value of the Kafka record's header {@value #CONTENT_TYPE_HEADER}. */
  public static final String CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

  /** The header by which CloudEvents' Kafka binding knows the structured mode. */
  public static final String CONTENT_TYPE_HEADER = "content-type";

  private static final String SPEC_VERSION = "1.0";

  /**
   * Always six digits of the second and a Z: readers may compare two of them as text, and parsers
   * that insist on a number of digits are content.
   */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder().appendInstant(6).toFormatter(Locale.ROOT);

  private CommitStatusCodec() {}

  /** The Kafka record's key: the table's name in UTF-8. */
  public static byte[] key(TableName table) {
    return table.value().getBytes(StandardCharsets.UTF_8);
  }

  public static byte[] encode(CommitStatus status) {
    ObjectNode event =
        ProtocolJson.object()
            .put("specversion", SPEC_VERSION)
            .put("id", status.id())
            .put("source", "tributary/" + status.table())
            .put("type", TYPE)
            .put("subject", status.table().value())
            .put("time", time(status.committedAt()))
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
              // As text: a JSON number above 2^53 loses digits in JavaScript and other readers.
              data.put("snapshotId", Long.toString(snapshot.id()));
              snapshot
                  .parentId()
                  .ifPresentOrElse(
                      parent -> data.put("parentSnapshotId", Long.toString(parent)),
                      () -> data.putNull("parentSnapshotId"));
              data.put("sequenceNumber", snapshot.sequenceNumber());
            },
            () -> data.putNull("snapshotId").putNull("parentSnapshotId").putNull("sequenceNumber"));
    data.put("dataRound", status.dataRound());
    status
        .validThrough()
        .ifPresentOrElse(
            w -> data.put("validThrough", time(w.instant())), () -> data.putNull("validThrough"));
    status.promisedThrough().ifPresent(w -> data.put("promisedThrough", time(w.instant())));
    ArrayNode notCovered = data.putArray("notCovered");
    for (CommitStatus.NotCovered entry : status.notCovered()) {
      notCovered
          .addObject()
          .put("shard", entry.shard().value())
          .put("reason", entry.reason().wireName())
          .put("detail", entry.detail().orElse(null));
    }
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
              w -> node.put("watermark", time(w.instant())), () -> node.putNull("watermark"));
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
    data.put("committedAt", time(status.committedAt()));
    return ProtocolJson.bytes(event);
  }

  /**
   * @throws UnreadableMessageException when the bytes are no commit-status message of this version;
   *     unknown fields are skipped, since later versions may add some
   */
  public static CommitStatus decode(byte[] bytes) {
    JsonNode event = ProtocolJson.parse(bytes, 0, bytes.length);
    expect(event, "specversion", SPEC_VERSION);
    expect(event, "type", TYPE);
    JsonNode data = required(event, "data");
    try {
      CommitStatus status = status(data);
      expect(event, "id", status.id());
      return status;
    } catch (IllegalArgumentException e) {
      throw new UnreadableMessageException("Cannot read a commit status: " + e.getMessage(), e);
    }
  }

  private static void expect(JsonNode event, String field, String expected) {
    String found = text(event, field);
    if (!expected.equals(found)) {
      throw new UnreadableMessageException(
          "Cannot read a commit status: expected " + field + " " + expected + ", found " + found);
    }
  }

  private static String time(Instant instant) {
    return TIME.format(instant);
  }

  private static CommitStatus status(JsonNode data) {
    List<CommitStatus.NotCovered> notCovered = new ArrayList<>();
    for (JsonNode node : array(data, "notCovered")) {
      notCovered.add(
          new CommitStatus.NotCovered(
              new ShardId(smallNumber(node, "shard")),
              NotCoveredReason.parse(text(node, "reason")),
              optionalText(node, "detail")));
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
                        numberText(data, "snapshotId"),
                        optional(data, "parentSnapshotId")
                            .map(parent -> OptionalLong.of(numberText(data, "parentSnapshotId")))
                            .orElse(OptionalLong.empty()),
                        number(data, "sequenceNumber"))),
        truth(data, "dataRound"),
        optional(data, "validThrough").map(w -> new Watermark(instant(data, "validThrough"))),
        optional(data, "promisedThrough").map(w -> new Watermark(instant(data, "promisedThrough"))),
        notCovered,
        shards,
        sources,
        number(data, "registryVersion"),
        PartsJson.counts(required(data, "added")),
        PartsJson.counts(required(data, "removed")),
        instant(data, "committedAt"));
  }
}
