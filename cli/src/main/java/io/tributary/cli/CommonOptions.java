package io.tributary.cli;

import picocli.CommandLine.Option;

/** Options that every verb takes. */
final class CommonOptions {
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

  boolean json() {
    return output == OutputFormat.JSON;
  }
}
