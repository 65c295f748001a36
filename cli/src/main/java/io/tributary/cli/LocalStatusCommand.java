package io.tributary.cli;

import io.tributary.localstack.AttachedStack;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tributary local status}. */
@Command(
    name = "status",
    header = "Show the local stack.",
    description = "Show the local stack; exits 1 when it does not run as a whole.")
final class LocalStatusCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private StackOptions stack;

  LocalStatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Optional<AttachedStack> running = stack.running();
    if (running.isEmpty()) {
      terminal.line(
          common.json()
              ? Json.pretty(Json.object().put("up", false))
              : "No local stack runs in " + stack.folder());
      return ExitCode.NO;
    }
    LocalStackView.print(terminal, common.json(), running.get());
    return running.get().isAlive() ? ExitCode.OK : ExitCode.NO;
  }
}
