package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.check.CheckProgress;
import io.tributary.cli.check.CheckReport;
import io.tributary.cli.check.Finding;
import io.tributary.cli.check.RegistryCheck;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tributary registry check}. */
@Command(
    name = "check",
    header = "Ask all systems that a registry names whether they are fit.",
    description = {
      "Connect to every MySQL server, the metastore, the warehouse, Kafka and, where --zookeeper",
      "names it, ZooKeeper, and name all that would keep a job from starting or lose rows, with its",
      "cure. Reads no row of a shard. Makes a scratch table in the metastore, a scratch file in the",
      "warehouse and a scratch node in ZooKeeper, and removes them. Exits 0 when there is neither",
      "an error nor a warning, 5 when there are warnings alone, 1 when there is an error."
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

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "2 min",
      description =
          "How long to wait for all systems together; who has not answered then is a finding. "
              + "Default: 2 min.")
  private Duration timeout;

  RegistryCheckCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    CheckReport report = new RegistryCheck(request(), new CheckProgress(terminal::passing)).run();
    terminal.endPassing();
    if (common.json()) {
      terminal.line(Json.pretty(json(report)));
    } else {
      text(report);
    }
    if (report.count(Finding.Severity.ERROR) > 0) {
      return ExitCode.NO;
    }
    return report.count(Finding.Severity.WARNING) > 0 ? ExitCode.NOTICE : ExitCode.OK;
  }

  /** Beside a file, --zookeeper says where it is to be published. */
  private RegistryCheck.Request request() {
    if (timeout.isZero()) {
      throw new CliException(
          ExitCode.USAGE, "Cannot check the registry: expected --timeout above 0, found 0");
    }
    Optional<Path> given =
        Optional.ofNullable(file).or(() -> Optional.ofNullable(registry.registryFile));
    if (given.isPresent()) {
      RegistryParser.Placed placed = RegistryParser.readFile(given.get());
      return new RegistryCheck.Request(
          placed.registry(),
          placed.places(),
          Optional.ofNullable(registry.zooKeeper).map(ZooKeeperAddress::parse),
          timeout);
    }
    return new RegistryCheck.Request(
        registry.load(), RegistryPlaces.NONE, Optional.of(registry.zooKeeperAddress()), timeout);
  }

  private void text(CheckReport report) {
    TextTable servers =
        new TextTable(
            "server", "address", "version", "binlog", "kept", "gtid", "role", "zone", "clock",
            "groups");
    for (CheckReport.Server server : report.servers()) {
      servers.row(
          server.name(),
          server.address(),
          server.version().orElse("does not answer"),
          server.binlog().orElse("-"),
          server.binlogKept().map(kept -> kept.toHours() + " h").orElse("-"),
          server.gtid().map(gtid -> gtid ? "yes" : "no").orElse("-"),
          server.replica().map(replica -> replica ? "replica" : "primary").orElse("unknown"),
          server.zone().orElse("-"),
          server.clockAheadMillis().isPresent()
              ? "%+d ms".formatted(server.clockAheadMillis().getAsLong())
              : "-",
          server.groups().stream().map(Object::toString).collect(Collectors.joining(" ")));
    }
    servers.lines().forEach(terminal::line);
    terminal.line("");
    TextTable shards =
        new TextTable(
            "table", "shard", "source", "server", "group", "rows (about)", "MiB", "columns");
    for (CheckReport.Shard shard : report.shards()) {
      shards.row(
          shard.shard().table().toString(),
          shard.shard().id().toString(),
          shard.shard().source().toString(),
          shard.shard().server().toString(),
          shard.shard().group().toString(),
          shard.found() ? number(shard.rows()) : "missing",
          shard.bytes().isPresent() ? "%.1f".formatted(shard.bytes().getAsLong() / MEGABYTE) : "-",
          Integer.toString(shard.columns()));
    }
    shards.lines().forEach(terminal::line);
    types(report);
    for (Finding finding : report.findings()) {
      terminal.line("");
      terminal.line("%s %s: %s".formatted(finding.severity(), finding.code(), finding.subject()));
      finding.place().ifPresent(place -> terminal.line("  at     " + place));
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

  private void types(CheckReport report) {
    if (report.columns().isEmpty()) {
      return;
    }
    terminal.line("");
    TextTable types = new TextTable("table", "column", "source type", "table type", "lost");
    for (CheckReport.Column column : report.columns()) {
      types.row(
          column.table().toString(),
          column.name(),
          column.sourceType(),
          column.type().orElse("refused"),
          column.loss().isEmpty() ? "nothing" : column.loss());
    }
    types.lines().forEach(terminal::line);
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
      Json.put(entry, "zone", server.zone());
      Json.put(entry, "binlog", server.binlog());
      put(
          entry,
          "binlogKeptHours",
          server
              .binlogKept()
              .map(kept -> OptionalLong.of(kept.toHours()))
              .orElse(OptionalLong.empty()));
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
              .put("group", shard.shard().group().toString())
              .put("source", shard.shard().source().toString())
              .put("found", shard.found());
      put(entry, "estimatedRows", shard.rows());
      put(entry, "bytes", shard.bytes());
      entry.put("columns", shard.columns());
    }
    ArrayNode columns = node.putArray("columns");
    for (CheckReport.Column column : report.columns()) {
      ObjectNode entry =
          columns
              .addObject()
              .put("table", column.table().toString())
              .put("column", column.name())
              .put("sourceType", column.sourceType());
      Json.put(entry, "type", column.type());
      entry.put("loss", column.loss());
    }
    ArrayNode findings = node.putArray("findings");
    for (Finding finding : report.findings()) {
      ObjectNode entry = findings.addObject();
      Json.put(entry, "place", finding.place());
      entry
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
