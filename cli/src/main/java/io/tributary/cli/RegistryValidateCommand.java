package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.InvalidRegistryException;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tributary registry validate}. */
@Command(
    name = "validate",
    header = "Check a registry file.",
    description = {
      "Check a registry file without touching anything, and print the exact tables that would be",
      "read. All problems are named at once, with file, line, key and cure; exits 1 then."
    })
final class RegistryValidateCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;

  @Parameters(paramLabel = "FILE", description = "The registry file (YAML).")
  private Path file;

  RegistryValidateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Registry registry;
    try {
      registry = RegistryParser.parseFile(file);
    } catch (InvalidRegistryException e) {
      if (common.json()) {
        terminal.line(Json.pretty(RegistryView.problems(e)));
        return ExitCode.NO;
      }
      throw e;
    }
    if (common.json()) {
      ObjectNode node = Json.object().put("valid", true);
      node.setAll(RegistryView.json(registry));
      terminal.line(Json.pretty(node));
    } else {
      terminal.line("Valid: " + file);
      RegistryView.text(terminal, registry);
    }
    return ExitCode.OK;
  }
}
