package io.tributary.protocol;

import static io.tributary.protocol.ProtocolJson.number;
import static io.tributary.protocol.ProtocolJson.optionalText;
import static io.tributary.protocol.ProtocolJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The parts that several messages share, in their one JSON form. */
final class PartsJson {
  private PartsJson() {}

  static ObjectNode counts(FileCounts counts) {
    return ProtocolJson.object()
        .put("dataFiles", counts.dataFiles())
        .put("dataRecords", counts.dataRecords())
        .put("equalityDeleteFiles", counts.equalityDeleteFiles())
        .put("equalityDeleteRecords", counts.equalityDeleteRecords())
        .put("positionDeleteFiles", counts.positionDeleteFiles())
        .put("positionDeleteRecords", counts.positionDeleteRecords())
        .put("bytes", counts.bytes());
  }

  static FileCounts counts(JsonNode node) {
    return new FileCounts(
        number(node, "dataFiles"),
        number(node, "dataRecords"),
        number(node, "equalityDeleteFiles"),
        number(node, "equalityDeleteRecords"),
        number(node, "positionDeleteFiles"),
        number(node, "positionDeleteRecords"),
        number(node, "bytes"));
  }

  static ObjectNode position(SourcePosition position) {
    ObjectNode node =
        ProtocolJson.object().put("file", position.file()).put("position", position.position());
    position.gtidSet().ifPresent(set -> node.put("gtidSet", set));
    node.put("skipEvents", position.skipEvents()).put("skipRows", position.skipRows());
    position.serverIdentity().ifPresent(identity -> node.put("serverIdentity", identity));
    return node;
  }

  static SourcePosition position(JsonNode node) {
    return new SourcePosition(
        text(node, "file"),
        number(node, "position"),
        optionalText(node, "gtidSet"),
        number(node, "skipEvents"),
        number(node, "skipRows"),
        optionalText(node, "serverIdentity"));
  }
}
