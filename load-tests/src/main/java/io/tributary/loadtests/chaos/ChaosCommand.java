package io.tributary.loadtests.chaos;

import io.tributary.cli.CommonOptions;
import io.tributary.cli.ExitCode;
import io.tributary.cli.Interruption;
import io.tributary.cli.JobJar;
import io.tributary.cli.Json;
import io.tributary.cli.StackOptions;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerbProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary chaos}. */
@Command(
    name = "chaos",
    header = "Faults at random moments on real processes, checked row by row.",
    description = {
      "Run the pipeline on a local stack under a live workload; kill, pause, cut off and restart its",
      "processes and jobs at random moments and in the midst of rounds and checkpoints; then compare",
      "row by row, look for each round's message, and check every watermark against the journal of",
      "what was committed before it. Exits 0 when nothing is wrong, 1 when something is or a job",
      "ended, 3 or 4 when the run could not go on; the verdict in the file of --json says why."
    })
public final class ChaosCommand implements Callable<Integer> {
  /** Brings the verb to the command line. */
  public static final class Provider implements VerbProvider {
    @Override
    public Object verb(Terminal terminal) {
      return new ChaosCommand(terminal);
    }
  }

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private StackOptions stack;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "5",
      description = "How long faults are made, in minutes; fractions count. Default: 5.")
  private double minutes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed makes the same faults in the same order. Default: 1.")
  private long seed;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Rows to load before the jobs start. Default: 20000.")
  private long rows;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "80",
      description = "Transactions a second of the workload. Default: 80.")
  private int rate;

  @Option(
      names = "--recovery-bound",
      paramLabel = "DURATION",
      defaultValue = "2 min",
      description =
          "How long the work may take to go on after a wave of faults; more is a fault of its own."
              + " Default: 2 min.")
  private Duration recoveryBound;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the numbers to this file.")
  private Path json;

  @Option(
      names = "--failure-logs",
      paramLabel = "DIR",
      description =
          "Where the logs of a run go that is not clean, in a folder of their own. Default:"
              + " chaos-failures beside the stack's folder.")
  private Path failureLogs;

  @Option(names = "--coordinator-jar", paramLabel = "JAR", hidden = true)
  private Path coordinatorJar;

  @Option(names = "--ingest-jar", paramLabel = "JAR", hidden = true)
  private Path ingestJar;

  public ChaosCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    Terminal screen = common.json() ? terminal.besideResult() : terminal;
    ChaosConfig config =
        new ChaosConfig(
            stack.folder(),
            Duration.ofMillis(Math.round(minutes * 60_000)),
            seed,
            rows,
            rate,
            recoveryBound,
            coordinatorJar == null ? JobJar.coordinator() : JobJar.of(coordinatorJar),
            ingestJar == null ? JobJar.ingest() : JobJar.of(ingestJar));
    Chaos chaos = new Chaos(config, screen);
    boolean clean = false;
    try {
      ChaosResult result = run(chaos, screen);
      show(screen, result);
      if (common.json()) {
        terminal.line(Json.pretty(result.json()));
      }
      if (json != null) {
        Json.write(json, result.json());
      }
      clean = result.clean();
      return clean ? ExitCode.OK : ExitCode.NO;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw e;
    } finally {
      // Nothing is wrong with what was stopped by hand.
      if (!clean && !Thread.currentThread().isInterrupted()) {
        keepLogs(config.folder())
            .ifPresent(kept -> screen.line("  Logs of all processes: " + kept));
      }
    }
  }

  private ChaosResult run(Chaos chaos, Terminal screen) throws Exception {
    try {
      return Interruption.guarded(terminal, screen, chaos::run);
    } catch (RuntimeException e) {
      if (json != null) {
        try {
          Json.write(json, chaos.unfinished(String.valueOf(e.getMessage())));
        } catch (RuntimeException unwritten) {
          // What ended the run is to be seen.
          e.addSuppressed(unwritten);
        }
      }
      throw e;
    }
  }

  /**
   * Keeps them from the next run, which deletes what is in the stack's folder.
   *
   * @return where they are; empty when there are none
   */
  private Optional<Path> keepLogs(Path folder) {
    Path logs = folder.resolve("logs");
    if (!Files.isDirectory(logs)) {
      return Optional.empty();
    }
    Path target =
        (failureLogs == null
                ? folder.resolveSibling("chaos-failures")
                : failureLogs.toAbsolutePath())
            .resolve(STAMP.format(Instant.now()));
    try (Stream<Path> found =
        Stream.concat(
            Files.list(logs),
            Stream.of(Chaos.JOBS_REGISTRY, Chaos.DIRECT_REGISTRY).map(folder::resolve))) {
      Files.createDirectories(target);
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
      return Optional.of(target);
    } catch (IOException e) {
      // Not thrown: what ended the run is to be seen.
      terminal.note("Cannot keep the logs of %s in %s: %s".formatted(logs, target, e));
      return Optional.empty();
    }
  }

  private static void show(Terminal screen, ChaosResult result) {
    screen.line("");
    result.faultsByKind().entrySet().stream()
        .sorted(java.util.Map.Entry.comparingByKey())
        .forEach(
            kind -> screen.line("  %-34s %3d".formatted(kind.getKey().word(), kind.getValue())));
    screen.line("");
    screen.line(
        "  %d faults, %d of them in a round or checkpoint; %d rounds, %d with data; %,d changes"
            .formatted(
                result.faults(),
                result.inFlight(),
                result.rounds(),
                result.dataRounds(),
                result.changes()));
    screen.line(
        "  %,d transactions checked against the watermarks, %d missing; %,d rows compared: %d lost, %d doubled, %d wrong"
            .formatted(
                result.checkedTransactions(),
                result.watermarkViolations(),
                result.sourceRows(),
                result.lostRows(),
                result.doubledRows(),
                result.wrongRows()));
    screen.line(
        String.format(
            Locale.ROOT,
            "  longest time without a message %.1f s: %s",
            result.longestStall().toMillis() / 1000.0,
            result.longestStallCauses().isEmpty()
                ? "no fault in it"
                : String.join(", ", result.longestStallCauses())));
    screen.line(
        String.format(
            Locale.ROOT,
            "  %d waves; the work went on at most %.1f s after the last fault's end (bound: %d s)",
            result.recoveries(),
            result.longestRecovery().toMillis() / 1000.0,
            result.recoveryBound().toSeconds()));
    screen.line(
        "  Verdict: "
            + (result.clean() ? screen.good(result.verdict()) : screen.bad(result.verdict())));
  }
}
