package io.tributary.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tributary local}. */
@Command(
    name = "local",
    header = "Start, stop and show the local stack.",
    description = "The local stack: MariaDB, Kafka, ZooKeeper, Hive metastore and Flink.",
    synopsisSubcommandLabel = "(start | stop | status)")
final class LocalCommand implements Runnable {
  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Cannot run local: expected start, stop or status, found none");
  }
}
