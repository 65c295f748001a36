package io.tributary.cli;

import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: finds the verb, runs it, turns what it says into an exit code. */
@Command(
    name = "tributary",
    description = {
      "Many MySQL shards, one Apache Iceberg table, one commit per interval, and one exactly-once",
      "message that says up to when the table is complete."
    },
    synopsisSubcommandLabel = "VERB",
    commandListHeading = "%nVerbs:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done; the answer, where there is one, is yes.",
      "1:The answer is no: registry refused, rows differ, verdict not clean.",
      "2:The command line is wrong.",
      "3:It could not be done: something is missing, refuses or does not answer.",
      "4:It did not happen in the given time.",
      "5:Done, and there is something to look at: warnings of a check, changes of a plan.",
      "130:Ended by a signal such as Ctrl-C."
    },
    footer = {
      "",
      "First step: tributary demo. Help on a verb: tributary VERB --help.",
      "Built when first called: tributary chaos, faults on real processes; tributary fuzz, random tables",
      "against the whole pipeline."
    })
public final class Tributary implements Runnable {
  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  private Tributary() {}

  /** Ends the process with one of {@link ExitCode}. */
  public static void main(String[] args) {
    Terminal terminal = Terminal.ofProcess();
    System.exit(run(terminal, args));
  }

  /** Runs one command line and returns its exit code. */
  static int run(Terminal terminal, String... args) {
    CommandLine line = commandLine(terminal);
    return line.execute(args);
  }

  static CommandLine commandLine(Terminal terminal) {
    CommandLine line =
        new CommandLine(new Tributary())
            .addSubcommand(new DemoCommand(terminal))
            .addSubcommand(
                new CommandLine(new LocalCommand())
                    .addSubcommand(new LocalStartCommand(terminal))
                    .addSubcommand(new LocalStopCommand(terminal))
                    .addSubcommand(new LocalStatusCommand(terminal)))
            .addSubcommand(
                new CommandLine(new RegistryCommand())
                    .addSubcommand(new RegistryValidateCommand(terminal))
                    .addSubcommand(new RegistryCheckCommand(terminal))
                    .addSubcommand(new RegistryPlanCommand(terminal))
                    .addSubcommand(new RegistryApplyCommand(terminal))
                    .addSubcommand(new RegistryShowCommand(terminal))
                    .addSubcommand(new RegistryHistoryCommand(terminal))
                    .addSubcommand(new RegistryRollbackCommand(terminal)))
            .addSubcommand(new RunGroupCommand(terminal))
            .addSubcommand(new RunCoordinatorCommand(terminal))
            .addSubcommand(new RunAllCommand(terminal))
            .addSubcommand(new StopCommand(terminal))
            .addSubcommand(new StatusCommand(terminal))
            .addSubcommand(new AcceptCommand(terminal))
            .addSubcommand(new AdoptCommand(terminal))
            .addSubcommand(new AwaitCommand(terminal))
            .addSubcommand(new VerifyCommand(terminal));
    for (VerbProvider provider : ServiceLoader.load(VerbProvider.class)) {
      line.addSubcommand(provider.verb(terminal));
    }
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(java.time.Duration.class, new DurationConverter());
    line.registerConverter(java.time.Instant.class, new InstantConverter());
    line.setUsageHelpWidth(100);
    line.setUsageHelpAutoWidth(false);
    line.setParameterExceptionHandler((e, args) -> usageError(terminal, e));
    line.setExecutionExceptionHandler(
        (e, failed, result) -> Failures.report(terminal, e, debug(result)));
    return line;
  }

  /** Without a verb there is nothing to do but to say which there are. */
  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Cannot run: expected a verb, found none; see tributary --help");
  }

  private static int usageError(Terminal terminal, ParameterException e) {
    String message = e.getMessage();
    terminal.note(
        message.startsWith("Cannot")
            ? message
            : "Cannot run: expected a command line as in '%s --help', found: %s"
                .formatted(e.getCommandLine().getCommandSpec().qualifiedName(), message));
    return ExitCode.USAGE;
  }

  private static boolean debug(CommandLine.ParseResult result) {
    CommandLine.ParseResult last = result;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    return last.hasMatchedOption("--debug");
  }
}
