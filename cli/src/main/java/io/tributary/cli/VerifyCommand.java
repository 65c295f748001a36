package io.tributary.cli;

import io.tributary.cli.verify.ShardToVerify;
import io.tributary.cli.verify.SourceServer;
import io.tributary.cli.verify.Verifier;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.cli.verify.VerifyRequest;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.iceberg.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary verify}. */
@Command(
    name = "verify",
    header = "Compare shards and table row by row.",
    description = {
      "Compare every active shard with the table, row by row: the server's own text of each value",
      "against the table's, deletes applied. Needs a moment in which no source writes; says",
      "'source not quiet' otherwise. Exits 1 unless the verdict is clean."
    })
final class VerifyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryOptions registry;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The table. Default: the registry's only one.")
  private String table;

  @Option(
      names = "--most-differences",
      paramLabel = "N",
      defaultValue = "10",
      converter = CountConverter.class,
      description = "How many differing keys of each shard to show. Default: 10.")
  private int mostDifferences;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description =
          "First wait, at most so long, until the table is complete up to now. Exits 4 when it is "
              + "not in time.")
  private Duration wait;

  @Option(
      names = "--work-folder",
      paramLabel = "DIR",
      description = "Where rows of large shards are put meanwhile. Default: the system's.")
  private Path workFolder = Path.of(System.getProperty("java.io.tmpdir"));

  VerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws SQLException {
    Registry known = registry.load();
    TableSpec spec = TableChoice.of(known, Optional.ofNullable(table));
    try (LakeTable lake = LakeTable.open(known.catalog(), spec.name())) {
      Table iceberg =
          lake.load()
              .orElseThrow(
                  () ->
                      new CliException(
                          ExitCode.FAILED,
                          "Cannot verify table %s: expected it in catalog %s, found none"
                              .formatted(spec.name(), known.catalog().name())));
      VerifyRequest request = VerifyTargets.of(known, spec, iceberg, mostDifferences, workFolder);
      if (wait != null) {
        awaitNow(known, spec, request);
      }
      VerifyReport report = new Verifier(request, progress(terminal)).verify();
      terminal.endPassing();
      if (common.json()) {
        terminal.line(Json.pretty(VerifyView.json(report)));
      } else {
        VerifyView.text(terminal, report);
      }
      return report.clean() ? ExitCode.OK : ExitCode.NO;
    }
  }

  static io.tributary.cli.verify.VerifyProgress progress(Terminal terminal) {
    return (shard, index, count, rows) ->
        terminal.passing(
            "comparing shard %s (%d of %d): %s rows read"
                .formatted(shard, index, count, VerifyView.number(rows)));
  }

  private void awaitNow(Registry known, TableSpec spec, VerifyRequest request) throws SQLException {
    Instant latest = Instant.EPOCH;
    for (ShardToVerify shard : request.shards()) {
      Instant now = clock(request.servers().get(shard.server()));
      latest = now.isAfter(latest) ? now : latest;
    }
    try (CommitStatusReader reader = AwaitCommand.statuses(known, spec)) {
      reader.awaitWatermark(spec.name(), latest, wait);
    }
  }

  private static Instant clock(SourceServer server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR)")) {
      result.next();
      return Instant.parse(result.getString(1).replace(' ', 'T') + "Z");
    }
  }
}
