package io.tributary.protocol;

import static io.tributary.protocol.ProtocolJson.array;
import static io.tributary.protocol.ProtocolJson.instant;
import static io.tributary.protocol.ProtocolJson.number;
import static io.tributary.protocol.ProtocolJson.optional;
import static io.tributary.protocol.ProtocolJson.optionalText;
import static io.tributary.protocol.ProtocolJson.required;
import static io.tributary.protocol.ProtocolJson.smallNumber;
import static io.tributary.protocol.ProtocolJson.smallNumbers;
import static io.tributary.protocol.ProtocolJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The bytes of a control message: {@code "TRIB"}, one byte of version, four bytes with the length
 * of a JSON header, the header, then the inline manifests one after the other in the header's
 * order. People can read the header; manifests travel without the third that Base64 would add.
 */
public final class ControlMessageCodec {
  /** The highest version this codec writes and reads; it reads all before it. */
  public static final int VERSION = 2;

  /**
   * Written as long as the message has nothing that only a later version has, so that a coordinator
   * of before understands it.
   */
  private static final int FIRST_VERSION = 1;

  private static final byte[] MAGIC = {'T', 'R', 'I', 'B'};
  private static final int HEADER_AT = MAGIC.length + 1 + Integer.BYTES;

  private ControlMessageCodec() {}

  public static byte[] encode(ControlMessage message) {
    List<byte[]> attachments = new ArrayList<>();
    byte[] json = ProtocolJson.bytes(header(message, attachments));
    int length = HEADER_AT + json.length + attachments.stream().mapToInt(a -> a.length).sum();
    ByteArrayOutputStream out = new ByteArrayOutputStream(length);
    out.writeBytes(MAGIC);
    out.write(version(message));
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(json.length).array());
    out.writeBytes(json);
    attachments.forEach(out::writeBytes);
    return out.toByteArray();
  }

  private static int version(ControlMessage message) {
    boolean first = true;
    if (message instanceof Committable committable) {
      first = committable.shards().stream().allMatch(shard -> shard.columns().isEmpty());
    } else if (message instanceof SchemaRequest request) {
      first = request.columns().stream().allMatch(column -> column.field().isEmpty());
    }
    return first ? FIRST_VERSION : VERSION;
  }

  private static ObjectNode header(ControlMessage message, List<byte[]> attachments) {
    ObjectNode header = ProtocolJson.object();
    if (message instanceof Hello hello) {
      header.put("kind", "hello");
      common(header, message);
      hello(header, hello);
    } else if (message instanceof Committable committable) {
      header.put("kind", "committable");
      common(header, message);
      committable(header, committable, attachments);
    } else if (message instanceof SchemaRequest request) {
      header.put("kind", "schema-request");
      common(header, message);
      request(header, request);
    }
    return header;
  }

  /**
   * @throws UnreadableMessageException when the bytes are no control message of this version, or
   *     their content contradicts itself, or it has a part that this version does not know: what
   *     the coordinator does not understand it cannot commit
   */
  public static ControlMessage decode(byte[] bytes) {
    if (bytes.length < HEADER_AT
        || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new UnreadableMessageException(
          "Cannot read a control message: expected it to begin with TRIB");
    }
    int version = bytes[MAGIC.length];
    if (version < FIRST_VERSION || version > VERSION) {
      throw new UnreadableMessageException(
          "Cannot read a control message: expected version %d to %d, found %d"
              .formatted(FIRST_VERSION, VERSION, version));
    }
    int headerLength = ByteBuffer.wrap(bytes, MAGIC.length + 1, Integer.BYTES).getInt();
    if (headerLength < 0 || headerLength > bytes.length - HEADER_AT) {
      throw new UnreadableMessageException(
          "Cannot read a control message: expected a header within "
              + bytes.length
              + " bytes, found length "
              + headerLength);
    }
    JsonNode header = ProtocolJson.parse(bytes, HEADER_AT, headerLength);
    ByteBuffer attachments =
        ByteBuffer.wrap(bytes, HEADER_AT + headerLength, bytes.length - HEADER_AT - headerLength);
    try {
      ControlMessage message =
          switch (text(header, "kind")) {
            case "hello" -> hello(header);
            case "committable" -> committable(header, attachments);
            case "schema-request" -> request(header);
            default ->
                throw new UnreadableMessageException(
                    "Cannot read a control message: expected kind hello, committable or schema-request, found "
                        + text(header, "kind"));
          };
      if (attachments.hasRemaining()) {
        throw new UnreadableMessageException(
            "Cannot read a control message: expected its end, found "
                + attachments.remaining()
                + " more bytes");
      }
      ProtocolJson.requireUnderstood(
          "a control message", header, header(message, new ArrayList<>()));
      return message;
    } catch (IllegalArgumentException e) {
      throw new UnreadableMessageException("Cannot read a control message: " + e.getMessage(), e);
    }
  }

  private static void common(ObjectNode header, ControlMessage message) {
    header
        .put("table", message.table().value())
        .put("group", message.group().value())
        .put("incarnation", message.incarnation().value())
        .put("submission", message.submission().toString());
  }

  private static void hello(ObjectNode header, Hello hello) {
    hello
        .continuation()
        .ifPresent(
            from ->
                header
                    .putObject("continuation")
                    .put("epoch", from.epoch().value())
                    .put("chain", from.chain().value()));
    header
        .putObject("proposal")
        .put("schema", hello.proposal().schemaJson())
        .put("shardColumn", hello.proposal().shardColumn())
        .put("bucketColumn", hello.proposal().bucketColumn())
        .put("bucketCount", hello.proposal().bucketCount());
    ArrayNode shards = header.putArray("shards");
    hello.shards().forEach(shard -> shards.add(shard.value()));
    header.put("registryVersion", hello.registryVersion()).put("sentAt", hello.sentAt().toString());
  }

  private static Hello hello(JsonNode header) {
    JsonNode proposal = required(header, "proposal");
    List<ShardId> shards = smallNumbers(header, "shards").stream().map(ShardId::new).toList();
    return new Hello(
        new TableName(text(header, "table")),
        new GroupName(text(header, "group")),
        new Incarnation(number(header, "incarnation")),
        SubmissionId.parse(text(header, "submission")),
        optional(header, "continuation")
            .map(
                from ->
                    new Continuation(
                        new Epoch(number(from, "epoch")), new ChainHash(text(from, "chain")))),
        new TableProposal(
            text(proposal, "schema"),
            text(proposal, "shardColumn"),
            text(proposal, "bucketColumn"),
            smallNumber(proposal, "bucketCount")),
        shards,
        number(header, "registryVersion"),
        instant(header, "sentAt"));
  }

  private static void request(ObjectNode header, SchemaRequest request) {
    header.put("tableUuid", request.tableUuid().toString()).put("shard", request.shard().value());
    ArrayNode columns = header.putArray("columns");
    request
        .columns()
        .forEach(
            column -> {
              ObjectNode node =
                  columns.addObject().put("name", column.name()).put("type", column.type());
              column.field().ifPresent(field -> node.put("field", field));
            });
    header.set("position", PartsJson.position(request.position()));
    header.put("sentAt", request.sentAt().toString());
  }

  private static SchemaRequest request(JsonNode header) {
    List<RequestedColumn> columns = new ArrayList<>();
    for (JsonNode column : array(header, "columns")) {
      columns.add(
          new RequestedColumn(
              text(column, "name"),
              text(column, "type"),
              optional(column, "field").map(field -> smallNumber(column, "field"))));
    }
    return new SchemaRequest(
        new TableName(text(header, "table")),
        TableUuid.parse(text(header, "tableUuid")),
        new GroupName(text(header, "group")),
        new Incarnation(number(header, "incarnation")),
        SubmissionId.parse(text(header, "submission")),
        new ShardId(smallNumber(header, "shard")),
        columns,
        PartsJson.position(required(header, "position")),
        instant(header, "sentAt"));
  }

  private static void committable(
      ObjectNode header, Committable committable, List<byte[]> attachments) {
    header
        .put("tableUuid", committable.tableUuid().toString())
        .put("epoch", committable.epoch().value())
        .put("previous", committable.previous().value())
        .put("chain", committable.chain().value())
        .put("schemaId", committable.schemaId())
        .put("specId", committable.specId())
        .put("formatVersion", committable.formatVersion())
        .put("registryVersion", committable.registryVersion())
        .put("checkpointId", committable.checkpointId())
        .put("sealedAt", committable.sealedAt().toString());
    ArrayNode slices = header.putArray("slices");
    for (Slice slice : committable.slices()) {
      ObjectNode node = slices.addObject();
      ArrayNode empty = node.putArray("emptyShards");
      slice.emptyShards().forEach(shard -> empty.add(shard.value()));
      ArrayNode manifests = node.putArray("manifests");
      for (CommittableManifest manifest : slice.manifests()) {
        ObjectNode entry =
            manifests
                .addObject()
                .put("content", manifest.content().wireName())
                .put("length", manifest.length())
                .put("sha256", manifest.sha256());
        if (manifest instanceof CommittableManifest.Inline inline) {
          attachments.add(inline.bytes());
        } else if (manifest instanceof CommittableManifest.Stored stored) {
          entry.put("path", stored.path());
        }
      }
      node.set("counts", PartsJson.counts(slice.counts()));
    }
    ArrayNode shards = header.putArray("shards");
    for (ShardProgress shard : committable.shards()) {
      ObjectNode node =
          shards
              .addObject()
              .put("shard", shard.shard().value())
              .put("server", shard.server().value())
              .put("phase", shard.phase().wireName());
      shard.watermark().ifPresent(watermark -> node.put("watermark", watermark.toString()));
      node.put("copiedRows", shard.copiedRows()).put("estimatedRows", shard.estimatedRows());
      shard.haltReason().ifPresent(reason -> node.put("haltReason", reason));
      if (!shard.columns().isEmpty()) {
        node.set("columns", PartsJson.columns(shard.columns()));
      }
    }
    ArrayNode sources = header.putArray("sources");
    for (SourceProgress source : committable.sources()) {
      ObjectNode node = sources.addObject().put("server", source.server().value());
      source.position().ifPresent(position -> node.set("position", PartsJson.position(position)));
    }
  }

  private static Committable committable(JsonNode header, ByteBuffer attachments) {
    List<Slice> slices = new ArrayList<>();
    for (JsonNode node : array(header, "slices")) {
      TreeSet<ShardId> empty = new TreeSet<>();
      smallNumbers(node, "emptyShards").forEach(shard -> empty.add(new ShardId(shard)));
      List<CommittableManifest> manifests = new ArrayList<>();
      for (JsonNode entry : array(node, "manifests")) {
        manifests.add(manifest(entry, attachments));
      }
      slices.add(new Slice(empty, manifests, PartsJson.counts(required(node, "counts"))));
    }
    List<ShardProgress> shards = new ArrayList<>();
    for (JsonNode node : array(header, "shards")) {
      shards.add(
          new ShardProgress(
              new ShardId(smallNumber(node, "shard")),
              new ServerName(text(node, "server")),
              ShardPhase.parse(text(node, "phase")),
              optional(node, "watermark").map(w -> new Watermark(instant(node, "watermark"))),
              number(node, "copiedRows"),
              number(node, "estimatedRows"),
              optionalText(node, "haltReason"),
              optional(node, "columns").map(PartsJson::columns).orElse(ColumnDifferences.NONE)));
    }
    List<SourceProgress> sources = new ArrayList<>();
    for (JsonNode node : array(header, "sources")) {
      Optional<SourcePosition> position = optional(node, "position").map(PartsJson::position);
      sources.add(new SourceProgress(new ServerName(text(node, "server")), position));
    }
    return new Committable(
        new TableName(text(header, "table")),
        TableUuid.parse(text(header, "tableUuid")),
        new GroupName(text(header, "group")),
        new Incarnation(number(header, "incarnation")),
        SubmissionId.parse(text(header, "submission")),
        new Epoch(number(header, "epoch")),
        new ChainHash(text(header, "previous")),
        new ChainHash(text(header, "chain")),
        smallNumber(header, "schemaId"),
        smallNumber(header, "specId"),
        smallNumber(header, "formatVersion"),
        number(header, "registryVersion"),
        number(header, "checkpointId"),
        instant(header, "sealedAt"),
        slices,
        shards,
        sources);
  }

  private static CommittableManifest manifest(JsonNode entry, ByteBuffer attachments) {
    ManifestContent content = ManifestContent.parse(text(entry, "content"));
    long length = number(entry, "length");
    String sha256 = text(entry, "sha256");
    Optional<String> path = optionalText(entry, "path");
    if (path.isPresent()) {
      return new CommittableManifest.Stored(content, path.get(), length, sha256);
    }
    if (length < 0 || length > attachments.remaining()) {
      throw new UnreadableMessageException(
          "Cannot read a control message: expected a manifest of "
              + length
              + " bytes, found "
              + attachments.remaining());
    }
    byte[] bytes = new byte[(int) length];
    attachments.get(bytes);
    return new CommittableManifest.Inline(content, bytes, sha256);
  }
}
