package io.tributary.cli;

import picocli.CommandLine.Option;

/** Options that every verb takes. */
public final class CommonOptions {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How the result is written: ${COMPLETION-CANDIDATES}. Default: text.")
  OutputFormat output = OutputFormat.TEXT;

  @Option(names = "--debug", description = "Show the stack trace of an error.")
  boolean debug;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  /** Whether the result is written as JSON. */
  public boolean json() {
    return output == OutputFormat.JSON;
  }
}
