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
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The table's state as table properties. Round, term, owner and plan stand in properties of their
 * own, for people and for quick checks; everything stands in compact JSON, cut into properties of
 * at most {@value #CHUNK} characters because metastores cut or refuse longer values (4,000
 * characters in the Hive metastore's own schema scripts). The JSON is pure ASCII, so characters are
 * bytes.
 */
public final class TableStateCodec {
  /** The highest version this codec writes and reads; it reads all before it. */
  public static final int VERSION = 3;

  /**
   * Written as long as the state has nothing that only a later version has, so that a coordinator
   * of before can take the table back.
   */
  private static final int FIRST_VERSION = 1;

  /** The first that knows an operator's decision. */
  private static final int ACCEPTANCE_VERSION = 2;

  /** Every property of the state begins with this. */
  public static final String PREFIX = "tributary.state.";

  static final int CHUNK = 3_900;
  private static final String PART = "shard";
  private static final int STARTED = 1;
  private static final int COVERED = 2;
  private static final String CHUNKS = PREFIX + "chunks";
  private static final String HASH = PREFIX + "sha256";
  private static final String ROUND = PREFIX + "round";
  private static final String TERM = PREFIX + "term";
  private static final String OWNER = PREFIX + "owner";
  private static final String PLAN = PREFIX + "plan";

  private TableStateCodec() {}

  /** All properties of the state; any other with the prefix is a left-over. */
  public static SortedMap<String, String> encode(TableState state) {
    String json = ascii(new String(ProtocolJson.bytes(json(state)), StandardCharsets.UTF_8));
    SortedMap<String, String> properties = new TreeMap<>();
    int chunks = 0;
    for (int at = 0; at < json.length(); at += CHUNK) {
      properties.put(chunkName(chunks++), json.substring(at, Math.min(json.length(), at + CHUNK)));
    }
    properties.put(CHUNKS, Integer.toString(chunks));
    properties.put(HASH, CommittableManifest.hash(json.getBytes(StandardCharsets.US_ASCII)));
    properties.put(ROUND, state.round().toString());
    properties.put(TERM, state.term().toString());
    properties.put(OWNER, state.owner().toString());
    properties.put(PLAN, state.plan().toString());
    return properties;
  }

  /**
   * Properties of an earlier, longer state, to be removed in the swap that writes the new one.
   *
   * @param properties all properties of the table before
   * @param encoded what {@link #encode} made of the new state
   */
  public static Set<String> leftOvers(Map<String, String> properties, Map<String, String> encoded) {
    Set<String> names = new TreeSet<>();
    for (String name : properties.keySet()) {
      if (name.startsWith(PREFIX) && !encoded.containsKey(name)) {
        names.add(name);
      }
    }
    return names;
  }

  /**
   * @param properties all properties of the table
   * @return absent when no property of the state is there
   * @throws UnreadableMessageException when the state is there but not whole, or has a part that
   *     this version does not know and would drop when it writes the state again
   */
  public static Optional<TableState> decode(Map<String, String> properties) {
    if (properties.keySet().stream().noneMatch(name -> name.startsWith(PREFIX))) {
      return Optional.empty();
    }
    String count = properties.get(CHUNKS);
    if (count == null || !count.matches("[1-9][0-9]{0,4}")) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected property "
              + CHUNKS
              + " with a number, found "
              + count);
    }
    StringBuilder json = new StringBuilder();
    for (int i = 0; i < Integer.parseInt(count); i++) {
      String chunk = properties.get(chunkName(i));
      if (chunk == null) {
        throw new UnreadableMessageException(
            "Cannot read the table's state: expected property " + chunkName(i) + ", found none");
      }
      json.append(chunk);
    }
    byte[] bytes = json.toString().getBytes(StandardCharsets.US_ASCII);
    String hash = CommittableManifest.hash(bytes);
    if (!hash.equals(properties.get(HASH))) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected SHA-256 "
              + properties.get(HASH)
              + ", found "
              + hash
              + "; a property was cut or changed by hand");
    }
    try {
      JsonNode found = ProtocolJson.parse(bytes, 0, bytes.length);
      TableState state = state(found);
      ProtocolJson.requireUnderstood("the table's state", found, json(state));
      check(properties, ROUND, state.round());
      check(properties, TERM, state.term());
      check(properties, OWNER, state.owner());
      check(properties, PLAN, state.plan());
      return Optional.of(state);
    } catch (IllegalArgumentException e) {
      throw new UnreadableMessageException("Cannot read the table's state: " + e.getMessage(), e);
    }
  }

  private static void check(Map<String, String> properties, String name, Object expected) {
    if (!expected.toString().equals(properties.get(name))) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected property %s to be %s, found %s"
              .formatted(name, expected, properties.get(name)));
    }
  }

  private static String chunkName(int i) {
    return PREFIX + String.format(Locale.ROOT, "%03d", i);
  }

  private static String ascii(String json) {
    StringBuilder out = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (c < 128) {
        out.append(c);
      } else {
        out.append("\\u%04x".formatted((int) c));
      }
    }
    return out.toString();
  }

  private static ObjectNode json(TableState state) {
    ObjectNode node =
        ProtocolJson.object()
            .put("v", version(state))
            .put("tableUuid", state.tableUuid().toString())
            .put("round", state.round().value())
            .put("term", state.term().value())
            .put("owner", state.owner().toString())
            .put("plan", state.plan().toString())
            .put("registryVersion", state.registryVersion())
            .put("controlOffset", state.controlOffset());
    state.validThrough().ifPresent(w -> node.put("validThrough", w.toEpochMicros()));
    state
        .snapshot()
        .ifPresent(
            snapshot -> {
              ObjectNode entry = node.putObject("snapshot").put("id", snapshot.id());
              snapshot.parentId().ifPresent(parent -> entry.put("parent", parent));
              entry.put("sequence", snapshot.sequenceNumber());
            });
    node.put("dataRound", state.dataRound());
    node.set("added", PartsJson.counts(state.added()));
    node.set("removed", PartsJson.counts(state.removed()));
    node.put("committedAt", state.committedAt().toString());
    ObjectNode groups = node.putObject("groups");
    state.groups().forEach((name, group) -> groups.set(name.value(), group(group)));
    // A list of lists: with 1,024 shards the field names would be most of the state.
    ArrayNode shards = node.putArray("shards");
    state.shards().forEach((id, shard) -> shards.add(shard(id, shard)));
    ArrayNode sources = node.putArray("sources");
    state
        .sources()
        .forEach(
            (key, position) ->
                sources
                    .addObject()
                    .put("group", key.group().value())
                    .put("server", key.server().value())
                    .set("position", PartsJson.position(position)));
    state.acceptance().ifPresent(acceptance -> node.set("acceptance", acceptance(acceptance)));
    return node;
  }

  private static int version(TableState state) {
    boolean first =
        state.acceptance().isEmpty()
            && state.groups().values().stream()
                .noneMatch(
                    group ->
                        group
                            .halt()
                            .filter(halt -> halt.code() == HaltCode.STATE_ACCEPTED)
                            .isPresent());
    if (state.shards().values().stream().anyMatch(shard -> !shard.columns().isEmpty())) {
      return VERSION;
    }
    return first ? FIRST_VERSION : ACCEPTANCE_VERSION;
  }

  private static ObjectNode acceptance(Acceptance acceptance) {
    ObjectNode node =
        ProtocolJson.object()
            .put("round", acceptance.round().value())
            .put("at", acceptance.at().toString())
            .put("by", acceptance.by());
    acceptance
        .announced()
        .ifPresent(
            last ->
                node.putObject("announced")
                    .put("tableUuid", last.tableUuid().toString())
                    .put("round", last.round().value())
                    .put("term", last.term().value()));
    acceptance.promised().ifPresent(promised -> node.put("promised", promised.toEpochMicros()));
    return node;
  }

  private static Acceptance acceptance(JsonNode node) {
    return new Acceptance(
        new RoundNumber(number(node, "round")),
        instant(node, "at"),
        text(node, "by"),
        optional(node, "announced")
            .map(
                last ->
                    new Acceptance.Announced(
                        TableUuid.parse(text(last, "tableUuid")),
                        new RoundNumber(number(last, "round")),
                        new Term(number(last, "term")))),
        optional(node, "promised").map(w -> Watermark.ofEpochMicros(number(node, "promised"))));
  }

  private static ObjectNode group(GroupState group) {
    ObjectNode node =
        ProtocolJson.object()
            .put("incarnation", group.incarnation().value())
            .put("submission", group.submission().toString())
            .put("helloOffset", group.helloOffset())
            .put("answer", group.answer().wireName())
            .put("continuedFrom", group.continuedFrom().value())
            .put("epoch", group.epoch().value())
            .put("chain", group.chain().value());
    group
        .halt()
        .ifPresent(
            halt ->
                node.putObject("halt")
                    .put("code", halt.code().wireName())
                    .put("message", halt.message())
                    .put("since", halt.since().toString()));
    return node;
  }

  private static ArrayNode shard(ShardId id, ShardState shard) {
    ArrayNode node =
        ProtocolJson.object()
            .arrayNode()
            .add(id.value())
            .add(shard.group().value())
            .add(shard.server().value())
            .add(shard.phase().wireName())
            .add(shard.watermark().map(Watermark::toEpochMicros).orElse(-1L))
            .add((shard.started() ? STARTED : 0) | (shard.covered() ? COVERED : 0))
            .add(shard.copiedRows())
            .add(shard.estimatedRows());
    if (!shard.columns().isEmpty()) {
      node.add(shard.haltReason().orElse(null));
      node.add(PartsJson.columns(shard.columns()));
    } else {
      shard.haltReason().ifPresent(node::add);
    }
    return node;
  }

  private static TableState state(JsonNode node) {
    long version = number(node, "v");
    if (version < FIRST_VERSION || version > VERSION) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected version %d to %d, found %d"
              .formatted(FIRST_VERSION, VERSION, version));
    }
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    required(node, "groups")
        .properties()
        .forEach(entry -> groups.put(new GroupName(entry.getKey()), group(entry.getValue())));
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    for (JsonNode entry : array(node, "shards")) {
      ShardState shard = shard(entry);
      once(shards.put(new ShardId(smallNumber(part(entry, 0), PART)), shard), entry);
    }
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    for (JsonNode entry : array(node, "sources")) {
      SourceKey key =
          new SourceKey(new GroupName(text(entry, "group")), new ServerName(text(entry, "server")));
      once(sources.put(key, PartsJson.position(required(entry, "position"))), entry);
    }
    return new TableState(
        TableUuid.parse(text(node, "tableUuid")),
        new RoundNumber(number(node, "round")),
        new Term(number(node, "term")),
        OwnerId.parse(text(node, "owner")),
        PlanId.parse(text(node, "plan")),
        number(node, "registryVersion"),
        number(node, "controlOffset"),
        optional(node, "validThrough")
            .map(w -> Watermark.ofEpochMicros(number(node, "validThrough"))),
        optional(node, "snapshot")
            .map(
                entry ->
                    new IcebergSnapshot(
                        number(entry, "id"),
                        optional(entry, "parent")
                            .map(parent -> OptionalLong.of(number(entry, "parent")))
                            .orElse(OptionalLong.empty()),
                        number(entry, "sequence"))),
        truth(node, "dataRound"),
        PartsJson.counts(required(node, "added")),
        PartsJson.counts(required(node, "removed")),
        instant(node, "committedAt"),
        groups,
        shards,
        sources,
        optional(node, "acceptance").map(TableStateCodec::acceptance));
  }

  private static GroupState group(JsonNode node) {
    return new GroupState(
        new Incarnation(number(node, "incarnation")),
        SubmissionId.parse(text(node, "submission")),
        number(node, "helloOffset"),
        HelloAnswer.parse(text(node, "answer")),
        new Epoch(number(node, "continuedFrom")),
        new Epoch(number(node, "epoch")),
        new ChainHash(text(node, "chain")),
        optional(node, "halt")
            .map(
                halt ->
                    new Halt(
                        HaltCode.parse(text(halt, "code")),
                        text(halt, "message"),
                        instant(halt, "since"))));
  }

  private static ShardState shard(JsonNode entry) {
    if (!entry.isArray() || entry.size() < 8 || entry.size() > 10) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected a shard of 8 to 10 parts, found "
              + entry.size());
    }
    long watermark = number(part(entry, 4), PART);
    int flags = smallNumber(part(entry, 5), PART);
    if ((flags & ~(STARTED | COVERED)) != 0) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected known flags of a shard, found " + flags);
    }
    return new ShardState(
        new GroupName(text(part(entry, 1), PART)),
        new ServerName(text(part(entry, 2), PART)),
        ShardPhase.parse(text(part(entry, 3), PART)),
        watermark < 0 ? Optional.empty() : Optional.of(Watermark.ofEpochMicros(watermark)),
        (flags & STARTED) != 0,
        (flags & COVERED) != 0,
        number(part(entry, 6), PART),
        number(part(entry, 7), PART),
        entry.size() == 9 || entry.size() == 10 && !entry.get(8).isNull()
            ? Optional.of(text(part(entry, 8), PART))
            : Optional.empty(),
        entry.size() == 10
            ? PartsJson.columns(required(part(entry, 9), PART))
            : ColumnDifferences.NONE);
  }

  /** A part of a list under a name, so that it is read as strictly as a field. */
  private static JsonNode part(JsonNode list, int index) {
    return ProtocolJson.object().set(PART, list.get(index));
  }

  private static void once(Object before, JsonNode entry) {
    if (before != null) {
      throw new UnreadableMessageException(
          "Cannot read the table's state: expected each shard and source once, found again "
              + entry);
    }
  }
}
