package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.verify.Difference;
import io.tributary.cli.verify.ShardCounts;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.protocol.ShardId;
import java.util.Locale;
import java.util.stream.Collectors;

/** Shows the result of a comparison. */
final class VerifyView {
  private static final int LONGEST_VALUE = 120;

  private VerifyView() {}

  static void text(Terminal terminal, VerifyReport report) {
    TextTable table =
        new TextTable(
            "shard", "source rows", "table rows", "lost", "extra", "doubled", "different");
    for (ShardCounts shard : report.shards()) {
      table.row(
          shard.shard().toString(),
          number(shard.sourceRows()),
          number(shard.tableRows()),
          number(shard.lost()),
          number(shard.extra()),
          number(shard.doubled()),
          number(shard.different()));
    }
    table.lines().forEach(terminal::line);
    for (Difference difference : report.differences()) {
      terminal.line("");
      terminal.line(
          "%s in shard %s: %s"
              .formatted(
                  difference.kind().word(),
                  difference.shard(),
                  difference.key().entrySet().stream()
                      .map(entry -> entry.getKey() + " = " + entry.getValue())
                      .collect(Collectors.joining(", "))));
      if (difference.kind() == Difference.Kind.DIFFERENT) {
        for (Difference.ColumnDifference column : difference.columns()) {
          terminal.line("  " + column.column());
          terminal.line("    source  " + shown(column.source().orElse("NULL")));
          terminal.line("    table   " + shown(column.table().orElse("NULL")));
        }
      }
    }
    terminal.line("");
    if (!report.notCompared().isEmpty()) {
      terminal.line(
          "Not compared, since the registry says paused or retired: shards "
              + report.notCompared().stream()
                  .map(ShardId::toString)
                  .collect(Collectors.joining(", ")));
    }
    terminal.line(
        "Verdict: "
            + (report.clean() ? terminal.good(report.verdict()) : terminal.bad(report.verdict()))
            + (report.snapshotId().isPresent()
                ? " (Iceberg snapshot " + report.snapshotId().getAsLong() + ")"
                : " (the table has no Iceberg snapshot)"));
  }

  static ObjectNode json(VerifyReport report) {
    ObjectNode node = Json.object().put("table", report.table());
    if (report.snapshotId().isPresent()) {
      node.put("snapshotId", Long.toString(report.snapshotId().getAsLong()));
    } else {
      node.putNull("snapshotId");
    }
    node.put("quiet", report.quiet())
        .put("sourceRows", report.sourceRows())
        .put("tableRows", report.tableRows())
        .put("mismatches", report.mismatches())
        .put("lost", report.sum(Difference.Kind.LOST))
        .put("extra", report.sum(Difference.Kind.EXTRA))
        .put("doubled", report.sum(Difference.Kind.DOUBLED))
        .put("different", report.sum(Difference.Kind.DIFFERENT));
    ArrayNode layout = node.putArray("layoutProblems");
    report.layoutProblems().forEach(layout::add);
    ArrayNode shards = node.putArray("shards");
    for (ShardCounts shard : report.shards()) {
      shards
          .addObject()
          .put("shard", shard.shard().value())
          .put("sourceRows", shard.sourceRows())
          .put("tableRows", shard.tableRows())
          .put("lost", shard.lost())
          .put("extra", shard.extra())
          .put("doubled", shard.doubled())
          .put("different", shard.different());
    }
    ArrayNode notCompared = node.putArray("notCompared");
    report.notCompared().forEach(shard -> notCompared.add(shard.value()));
    ArrayNode differences = node.putArray("differences");
    for (Difference difference : report.differences()) {
      ObjectNode entry =
          differences
              .addObject()
              .put("shard", difference.shard().value())
              .put("kind", difference.kind().word());
      ObjectNode key = entry.putObject("key");
      difference.key().forEach(key::put);
      ArrayNode columns = entry.putArray("columns");
      for (Difference.ColumnDifference column : difference.columns()) {
        ObjectNode values = columns.addObject().put("column", column.column());
        Json.put(values, "source", column.source());
        Json.put(values, "table", column.table());
      }
    }
    return node.put("verdict", report.verdict());
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String shown(String value) {
    String line = value.replace("\n", "\\n");
    return line.length() <= LONGEST_VALUE
        ? line
        : line.substring(0, LONGEST_VALUE) + "... (" + value.length() + " characters)";
  }
}
