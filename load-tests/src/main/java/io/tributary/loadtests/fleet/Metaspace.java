package io.tributary.loadtests.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.localstack.LocalStack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The class metadata that Flink's processes hold once garbage is collected. */
final class Metaspace {
  private static final String METRIC = "Status.JVM.Memory.Metaspace.Used";

  /** Longer than Flink keeps a process's metrics, which its REST API asks for in the background. */
  private static final long SETTLE_SECONDS = 25;

  private final LocalStack stack;

  Metaspace(LocalStack stack) {
    this.stack = stack;
  }

  /**
   * Collects garbage in every TaskManager and the JobManager, and asks Flink.
   *
   * @return bytes of all of them together
   */
  long bytes() throws IOException, InterruptedException {
    for (String name : stack.processNames()) {
      if (name.startsWith("taskmanager") || name.startsWith("jobmanager")) {
        collect(stack.process(name).pid());
      }
    }
    // The first request makes Flink fetch what the second one answers.
    ask();
    TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
    ask();
    TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
    return ask();
  }

  private long ask() {
    long sum = value(stack.flinkRest().get("/jobmanager/metrics?get=" + METRIC));
    for (String name : stack.flinkRest().taskManagers()) {
      sum += value(stack.flinkRest().get("/taskmanagers/" + name + "/metrics?get=" + METRIC));
    }
    return sum;
  }

  private static long value(JsonNode metrics) {
    return metrics.isEmpty() ? 0 : metrics.get(0).get("value").asLong();
  }

  private static void collect(long pid) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid),
                "GC.run")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException(
          "Cannot collect garbage in process %d: expected jcmd to succeed, found exit code %d"
              .formatted(pid, code));
    }
  }
}
