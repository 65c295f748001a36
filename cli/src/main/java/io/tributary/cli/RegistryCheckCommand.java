package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.check.CheckReport;
import io.tributary.cli.check.Finding;
import io.tributary.cli.check.RegistryCheck;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tributary registry check}. */
@Command(
    name = "check",
    header = "Ask all systems that a registry names whether they are fit.",
    description = {
      "Connect to every MySQL server, the metastore, the warehouse and Kafka, and name all that",
      "would keep a job from starting or lose rows, with its cure. Reads no row of a shard. Makes a",
      "scratch table in the metastore and a scratch file in the warehouse, and removes both. Exits",
      "1 when there is an error."
    })
final class RegistryCheckCommand implements Callable<Integer> {
  private static final double MEGABYTE = 1_048_576;

  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "The registry file (YAML), as with --registry-file.")
  private Path file;

  RegistryCheckCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    if (file != null) {
      registry.registryFile = file;
    }
    CheckReport report =
        new RegistryCheck(registry.load(), what -> terminal.note("Looked at " + what)).run();
    if (common.json()) {
      terminal.line(Json.pretty(json(report)));
    } else {
      text(report);
    }
    return report.count(Finding.Severity.ERROR) == 0 ? ExitCode.OK : ExitCode.NO;
  }

  private void text(CheckReport report) {
    TextTable servers =
        new TextTable("server", "address", "version", "gtid", "role", "clock", "groups");
    for (CheckReport.Server server : report.servers()) {
      servers.row(
          server.name(),
          server.address(),
          server.version().orElse("does not answer"),
          server.gtid().map(gtid -> gtid ? "yes" : "no").orElse("-"),
          server.replica().map(replica -> replica ? "replica" : "primary").orElse("unknown"),
          server.clockAheadMillis().isPresent()
              ? "%+d ms".formatted(server.clockAheadMillis().getAsLong())
              : "-",
          server.groups().stream().map(Object::toString).collect(Collectors.joining(" ")));
    }
    servers.lines().forEach(terminal::line);
    terminal.line("");
    TextTable shards =
        new TextTable("table", "shard", "source", "server", "rows (about)", "MiB", "columns");
    for (CheckReport.Shard shard : report.shards()) {
      shards.row(
          shard.shard().table().toString(),
          shard.shard().id().toString(),
          shard.shard().source().toString(),
          shard.shard().server().toString(),
          shard.found() ? number(shard.rows()) : "missing",
          shard.bytes().isPresent() ? "%.1f".formatted(shard.bytes().getAsLong() / MEGABYTE) : "-",
          Integer.toString(shard.columns()));
    }
    shards.lines().forEach(terminal::line);
    for (Finding finding : report.findings()) {
      terminal.line("");
      terminal.line("%s %s: %s".formatted(finding.severity(), finding.code(), finding.subject()));
      terminal.line("  found  " + finding.found());
      terminal.line("  means  " + finding.meaning());
      if (!finding.cure().isEmpty()) {
        terminal.line("  cure   " + finding.cure());
      }
    }
    terminal.line("");
    terminal.line(
        "%d errors, %d warnings"
            .formatted(
                report.count(Finding.Severity.ERROR), report.count(Finding.Severity.WARNING)));
  }

  private static String number(OptionalLong value) {
    return value.isPresent() ? "%,d".formatted(value.getAsLong()) : "-";
  }

  private static ObjectNode json(CheckReport report) {
    ObjectNode node = Json.object();
    node.put("errors", report.count(Finding.Severity.ERROR));
    node.put("warnings", report.count(Finding.Severity.WARNING));
    ArrayNode servers = node.putArray("servers");
    for (CheckReport.Server server : report.servers()) {
      ObjectNode entry =
          servers.addObject().put("server", server.name()).put("address", server.address());
      Json.put(entry, "version", server.version());
      entry.put("gtid", server.gtid().orElse(null)).put("replica", server.replica().orElse(null));
      put(entry, "clockAheadMs", server.clockAheadMillis());
      ArrayNode groups = entry.putArray("groups");
      server.groups().forEach(group -> groups.add(group.value()));
    }
    ArrayNode shards = node.putArray("shards");
    for (CheckReport.Shard shard : report.shards()) {
      ObjectNode entry =
          shards
              .addObject()
              .put("table", shard.shard().table().toString())
              .put("shard", shard.shard().id().value())
              .put("server", shard.shard().server().toString())
              .put("source", shard.shard().source().toString())
              .put("found", shard.found());
      put(entry, "estimatedRows", shard.rows());
      put(entry, "bytes", shard.bytes());
      entry.put("columns", shard.columns());
    }
    ArrayNode findings = node.putArray("findings");
    for (Finding finding : report.findings()) {
      findings
          .addObject()
          .put("severity", finding.severity().word())
          .put("code", finding.code())
          .put("subject", finding.subject())
          .put("found", finding.found())
          .put("meaning", finding.meaning())
          .put("cure", finding.cure());
    }
    return node;
  }

  private static void put(ObjectNode node, String field, OptionalLong value) {
    if (value.isPresent()) {
      node.put(field, value.getAsLong());
    } else {
      node.putNull(field);
    }
  }
}
