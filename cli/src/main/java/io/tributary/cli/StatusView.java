package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.status.ColumnReport;
import io.tributary.cli.status.FlinkJobs;
import io.tributary.cli.status.TableReport;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Shows how tables stand. */
final class StatusView {
  private static final int LONGEST_ERROR = 90;

  private StatusView() {}

  static void text(Terminal terminal, TableReport report) {
    terminal.line(terminal.bold(report.table().toString()));
    if (report.unknown().isPresent()) {
      terminal.line("  table unknown: " + report.unknown().get());
    } else if (report.round().isEmpty()) {
      terminal.line("  no coordinator has claimed the table yet");
    } else {
      terminal.line(
          "  round %s, snapshot %s, valid through %s%s"
              .formatted(
                  report.round().get(),
                  report.snapshot().map(found -> Long.toString(found.id())).orElse("none"),
                  report
                      .validThrough()
                      .map(Object::toString)
                      .or(
                          () ->
                              report
                                  .promisedThrough()
                                  .map(
                                      promised ->
                                          "nothing before it is complete up to %s again (a state was accepted)"
                                              .formatted(promised)))
                      .orElse("not yet"),
                  report.lag().map(lag -> " (" + duration(lag) + " behind)").orElse("")));
      if (!report.publishedRound().equals(report.round())) {
        terminal.line(
            "  announced up to round "
                + report.publishedRound().map(Object::toString).orElse("none"));
      }
    }
    terminal.line("  coordinator " + job(report, report.coordinator()));
    for (FlinkJobs.AlarmView alarm : report.alarms()) {
      terminal.line(
          "  %s: raised %d times since the coordinator's start, last %s"
              .formatted(
                  alarm.code().toLowerCase(Locale.ROOT).replace('_', ' '),
                  alarm.times(),
                  alarm.last()));
    }
    for (TableReport.Group group : report.groups()) {
      terminal.line(
          "  group %s: %s%s"
              .formatted(
                  group.group(),
                  job(report, group.job()),
                  group.halt().map(halt -> ", halted: " + halt).orElse("")));
    }
    terminal.line("");
    TextTable shards =
        new TextTable(
            "shard",
            "group",
            "server",
            "source",
            "phase",
            "copied",
            "eta",
            "watermark",
            "lag",
            "epoch",
            "last error");
    for (TableReport.Shard shard : report.shards()) {
      shards.row(
          shard.shard().toString(),
          shard.group().toString(),
          shard.server().toString(),
          shard.source(),
          shard.phase(),
          shard.percent().map(percent -> percent + " %").orElse("-"),
          shard.eta().map(StatusView::duration).orElse("-"),
          shard.watermark().map(Object::toString).orElse("-"),
          shard.lag().map(StatusView::duration).orElse("-"),
          shard.epoch().map(Object::toString).orElse("-"),
          shard.lastError().map(StatusView::shortened).orElse(""));
    }
    shards.lines().forEach(line -> terminal.line("  " + line));
    report.columns().forEach(column -> terminal.line("  " + column.text()));
    report.problems().forEach(problem -> terminal.line("  " + terminal.bad(problem)));
  }

  static ObjectNode json(List<TableReport> reports) {
    ObjectNode node = Json.object();
    ArrayNode tables = node.putArray("tables");
    reports.forEach(report -> tables.add(json(report)));
    return node;
  }

  private static ObjectNode json(TableReport report) {
    ObjectNode node = Json.object().put("table", report.table().toString());
    Json.put(node, "round", report.round().map(round -> round.value()));
    Json.put(node, "publishedRound", report.publishedRound().map(round -> round.value()));
    Json.put(node, "snapshotId", report.snapshot().map(found -> Long.toString(found.id())));
    Json.put(node, "validThrough", report.validThrough());
    Json.put(node, "lagMs", report.lag().map(Duration::toMillis));
    Json.put(node, "committedAt", report.committedAt());
    Json.put(node, "promisedThrough", report.promisedThrough());
    node.put("healthy", report.healthy());
    Json.put(node, "unknown", report.unknown());
    Json.put(node, "jobsUnknown", report.jobsUnknown());
    ArrayNode alarms = node.putArray("alarms");
    for (FlinkJobs.AlarmView alarm : report.alarms()) {
      alarms
          .addObject()
          .put("code", alarm.code())
          .put("times", alarm.times())
          .put("last", alarm.last());
    }
    putJob(node, "coordinator", report.coordinator());
    ArrayNode groups = node.putArray("groups");
    for (TableReport.Group group : report.groups()) {
      ObjectNode entry = groups.addObject().put("group", group.group().toString());
      Json.put(entry, "epoch", group.epoch().map(epoch -> epoch.value()));
      putJob(entry, "job", group.job());
      Json.put(entry, "halt", group.halt());
    }
    ArrayNode shards = node.putArray("shards");
    for (TableReport.Shard shard : report.shards()) {
      ObjectNode entry =
          shards
              .addObject()
              .put("shard", shard.shard().value())
              .put("group", shard.group().toString())
              .put("server", shard.server().toString())
              .put("source", shard.source())
              .put("phase", shard.phase());
      Json.put(entry, "copiedRows", boxed(shard.copiedRows()));
      Json.put(entry, "estimatedRows", boxed(shard.estimatedRows()));
      Json.put(entry, "percent", shard.percent().map(Integer::longValue));
      Json.put(entry, "etaSeconds", shard.eta().map(Duration::toSeconds));
      Json.put(entry, "watermark", shard.watermark());
      Json.put(entry, "lagMs", shard.lag().map(Duration::toMillis));
      Json.put(entry, "epoch", shard.epoch().map(epoch -> epoch.value()));
      Json.put(entry, "lastError", shard.lastError());
    }
    ArrayNode columns = node.putArray("columns");
    for (ColumnReport column : report.columns()) {
      ObjectNode entry =
          columns.addObject().put("column", column.column()).put("change", column.kind().word());
      Json.put(entry, "newName", column.newName());
      ArrayNode at = entry.putArray("shards");
      column.shards().forEach(shard -> at.add(shard.value()));
      ArrayNode others = entry.putArray("otherShards");
      column.others().forEach(shard -> others.add(shard.value()));
      Json.put(entry, "clash", column.clash());
    }
    ArrayNode problems = node.putArray("problems");
    report.problems().forEach(problems::add);
    return node;
  }

  private static void putJob(ObjectNode node, String field, Optional<FlinkJobs.JobView> job) {
    if (job.isEmpty()) {
      node.putNull(field);
      return;
    }
    ObjectNode entry =
        node.putObject(field).put("jobId", job.get().id()).put("state", job.get().state());
    Json.put(entry, "lastError", job.get().lastError());
  }

  private static Optional<Long> boxed(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }

  private static String job(TableReport report, Optional<FlinkJobs.JobView> job) {
    return job.map(
            found ->
                "%s (Flink job %s)".formatted(found.state(), found.id())
                    + found
                        .lastError()
                        .map(error -> ", last error: " + shortened(error))
                        .orElse(""))
        .or(() -> report.jobsUnknown().map(why -> "unknown: " + shortened(why)))
        .orElse("no job found");
  }

  private static String shortened(String error) {
    String line = error.lines().findFirst().orElse("");
    return line.length() <= LONGEST_ERROR ? line : line.substring(0, LONGEST_ERROR) + "...";
  }

  /** For people: one unit, at most one decimal. */
  static String duration(Duration duration) {
    double seconds = duration.toMillis() / 1000.0;
    if (Math.abs(seconds) < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return Math.abs(seconds) < 7_200
        ? Math.round(seconds / 60) + " min"
        : Math.round(seconds / 3_600) + " h";
  }
}
