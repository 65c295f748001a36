package io.tributary.cli;

import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.LocalStackConfig;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which local stack is meant. */
public final class StackOptions {
  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Folder of the local stack. Default: .tributary in the checkout.")
  Path folder;

  /** Absolute. */
  public Path folder() {
    return folder == null ? LocalStackConfig.inCheckout().folder() : folder.toAbsolutePath();
  }

  Optional<AttachedStack> running() {
    return AttachedStack.findRunning(folder());
  }
}
