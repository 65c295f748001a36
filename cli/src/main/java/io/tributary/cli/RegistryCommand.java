package io.tributary.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tributary registry}. */
@Command(
    name = "registry",
    header = "Check, publish and show the registry, and what became of it.",
    description = "The registry of servers, tables, groups and shards.",
    synopsisSubcommandLabel = "(validate | check | plan | apply | show | history | rollback)")
final class RegistryCommand implements Runnable {
  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Cannot run registry: expected validate, check, plan, apply, show, history or rollback, found none");
  }
}
