package io.tributary.protocol;

import static io.tributary.protocol.ProtocolJson.number;
import static io.tributary.protocol.ProtocolJson.optional;
import static io.tributary.protocol.ProtocolJson.optionalText;
import static io.tributary.protocol.ProtocolJson.smallNumbers;
import static io.tributary.protocol.ProtocolJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

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

  static ObjectNode columns(ColumnDifferences columns) {
    ObjectNode node = ProtocolJson.object();
    if (!columns.renamed().isEmpty()) {
      ObjectNode renamed = node.putObject("renamed");
      columns.renamed().forEach((field, name) -> renamed.put(Integer.toString(field), name));
    }
    fields(node, "dropped", columns.dropped());
    fields(node, "unfilled", columns.unfilled());
    return node;
  }

  private static void fields(ObjectNode node, String name, SortedSet<Integer> fields) {
    if (!fields.isEmpty()) {
      ArrayNode list = node.putArray(name);
      fields.forEach(list::add);
    }
  }

  static ColumnDifferences columns(JsonNode node) {
    TreeMap<Integer, String> renamed = new TreeMap<>();
    optional(node, "renamed")
        .ifPresent(
            names ->
                names
                    .properties()
                    .forEach(
                        name ->
                            // A number that is none, or none in its shortest form, is refused: what
                            // is understood is written again and compared.
                            renamed.put(
                                Integer.parseInt(name.getKey()), text(names, name.getKey()))));
    return new ColumnDifferences(renamed, fields(node, "dropped"), fields(node, "unfilled"));
  }

  private static SortedSet<Integer> fields(JsonNode node, String name) {
    return optional(node, name)
        .map(list -> new TreeSet<>(smallNumbers(node, name)))
        .orElseGet(TreeSet::new);
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
