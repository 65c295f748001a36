package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.jobs.JobOutcome;
import java.util.List;
import java.util.Locale;

/** Shows what was done with each job. */
final class JobsView {
  private JobsView() {}

  /**
   * @return the verb's exit code
   */
  static int show(Terminal terminal, CommonOptions common, List<JobOutcome> outcomes) {
    if (common.json()) {
      ObjectNode node = Json.object();
      ArrayNode jobs = node.putArray("jobs");
      for (JobOutcome outcome : outcomes) {
        ObjectNode entry =
            jobs.addObject()
                .put("job", outcome.job())
                .put("did", outcome.did().name().toLowerCase(Locale.ROOT));
        Json.put(entry, "jobId", outcome.flinkJob());
        entry.put("why", outcome.why());
      }
      terminal.line(Json.pretty(node));
    } else {
      TextTable table = new TextTable("job", "did", "Flink job", "why");
      outcomes.forEach(
          outcome ->
              table.row(
                  outcome.job(),
                  outcome.did().words(),
                  outcome.flinkJob().orElse("-"),
                  outcome.why()));
      table.lines().forEach(terminal::line);
    }
    return outcomes.stream().anyMatch(outcome -> outcome.did() == JobOutcome.Did.FAILED)
        ? ExitCode.FAILED
        : ExitCode.OK;
  }
}
