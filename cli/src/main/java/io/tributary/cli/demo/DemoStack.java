package io.tributary.cli.demo;

import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.DetachedStart;
import io.tributary.localstack.FlinkCli;
import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.StackEndpoints;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The demo's stack: held up by this process, or by a process of its own that stays.
 *
 * @param processes how many it consists of
 * @param stop ends all its processes; may be repeated
 */
record DemoStack(
    StackEndpoints endpoints,
    int processes,
    FlinkCli flinkCli,
    FlinkRest flinkRest,
    Path logs,
    Runnable stop) {

  /**
   * @param stays whether it outlives this process
   * @param progress takes a line per service
   */
  static DemoStack start(LocalStackConfig config, boolean stays, Consumer<String> progress) {
    if (stays) {
      AttachedStack stack = DetachedStart.start(config, progress);
      return new DemoStack(
          stack.endpoints(),
          stack.processNames().size(),
          stack.flinkCli(),
          stack.flinkRest(),
          stack.logs(),
          stack::stop);
    }
    LocalStack stack = LocalStack.start(config, progress);
    return new DemoStack(
        stack.endpoints(),
        stack.processNames().size(),
        stack.flinkCli(),
        stack.flinkRest(),
        stack.logs(),
        stack::close);
  }
}
