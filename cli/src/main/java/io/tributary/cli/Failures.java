package io.tributary.cli;

import io.tributary.cli.check.Causes;
import io.tributary.protocol.reader.WatermarkNotReachedException;
import io.tributary.registry.InvalidRegistryException;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Turns an exception into a message for the person at the keyboard and an exit code. */
final class Failures {
  private Failures() {}

  static int report(Terminal terminal, Exception failure, boolean debug) {
    terminal.note(message(failure));
    if (debug) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace, true));
      terminal.note(trace.toString());
    }
    return exitCode(failure);
  }

  static String message(Throwable failure) {
    String message = failure.getMessage();
    if (message != null && message.startsWith("Cannot ")) {
      return message;
    }
    // A message of somebody else's code: say whose, and how to see more.
    Throwable root = Causes.root(failure);
    return "Cannot go on: expected no failure, found %s%s (--debug shows where)"
        .formatted(
            root.getClass().getSimpleName(),
            root.getMessage() == null ? "" : ": " + root.getMessage());
  }

  private static int exitCode(Throwable failure) {
    if (failure instanceof CliException known) {
      return known.exitCode();
    }
    if (failure instanceof InvalidRegistryException) {
      return ExitCode.NO;
    }
    if (failure instanceof WatermarkNotReachedException) {
      return ExitCode.TIMEOUT;
    }
    if (failure instanceof InterruptedException) {
      return ExitCode.INTERRUPTED;
    }
    return ExitCode.FAILED;
  }
}
