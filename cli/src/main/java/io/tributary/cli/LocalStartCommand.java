package io.tributary.cli;

import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.DetachedStart;
import io.tributary.localstack.LocalStackConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary local start}. */
@Command(
    name = "start",
    header = "Start the local stack and leave it running.",
    description = {
      "Start the local stack and leave it running; on data of an earlier run it continues. Does",
      "nothing when it runs already."
    })
final class LocalStartCommand implements Callable<Integer> {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private StackOptions stack;

  @Option(names = "--wipe", description = "Delete the data of an earlier run first.")
  private boolean wipe;

  LocalStartCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Optional<AttachedStack> running = stack.running();
    if (running.isEmpty()) {
      LocalStackConfig config =
          LocalStackConfig.in(stack.folder()).withWipe(wipe).withStartTimeout(START_TIMEOUT);
      running = Optional.of(DetachedStart.start(config, terminal::note));
    }
    LocalStackView.print(terminal, common.json(), running.get());
    return ExitCode.OK;
  }
}
