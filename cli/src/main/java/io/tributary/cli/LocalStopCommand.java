package io.tributary.cli;

import io.tributary.localstack.AttachedStack;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tributary local stop}. */
@Command(
    name = "stop",
    header = "Stop the local stack.",
    description = "Stop the local stack; its data stay. Does nothing when none runs.")
final class LocalStopCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private StackOptions stack;

  LocalStopCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Optional<AttachedStack> running = stack.running();
    running.ifPresent(AttachedStack::stop);
    if (common.json()) {
      terminal.line(Json.pretty(Json.object().put("stopped", running.isPresent())));
    } else {
      terminal.line(
          running.isPresent()
              ? "Stopped the local stack in " + stack.folder()
              : "No local stack runs in " + stack.folder());
    }
    return ExitCode.OK;
  }
}
