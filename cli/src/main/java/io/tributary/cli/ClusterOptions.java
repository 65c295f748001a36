package io.tributary.cli;

import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.FlinkRest;
import java.net.URI;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which Flink cluster is asked, by its REST address. */
final class ClusterOptions {
  @Option(
      names = "--flink",
      paramLabel = "URL",
      description = "Flink's REST address. Default: the local stack's, if it runs.")
  URI flink;

  /**
   * @throws CliException when none is known
   */
  FlinkRest rest(StackOptions stack) {
    return Optional.ofNullable(flink)
        .map(FlinkRest::new)
        .or(() -> stack.running().map(AttachedStack::flinkRest))
        .orElseThrow(
            () ->
                new CliException(
                    ExitCode.FAILED,
                    "Cannot find the cluster: expected --flink or a local stack that runs in %s, found neither"
                        .formatted(stack.folder())));
  }
}
