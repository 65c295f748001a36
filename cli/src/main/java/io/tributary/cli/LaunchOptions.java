package io.tributary.cli;

import io.tributary.cli.jobs.JobLauncher;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How jobs get onto the cluster: a Flink installation, or the local stack's own. */
final class LaunchOptions {
  @Option(
      names = "--flink-home",
      paramLabel = "DIR",
      description =
          "Submit with this Flink installation's bin/flink, to the cluster at --flink, else to that of "
              + "its configuration. Default: the local stack's cluster.")
  Path flinkHome;

  @Option(
      names = "--flink-option",
      paramLabel = "OPTION",
      description = "Further option of flink run, such as -Dname=value; may be repeated.")
  List<String> options = List.of();

  /**
   * @param cluster the REST address of the session cluster to submit to
   */
  JobLauncher launcher(StackOptions stack, Optional<URI> cluster) {
    return (name, more, job, arguments) -> {
      List<String> all = new ArrayList<>(options);
      if (flinkHome != null) {
        cluster.ifPresent(uri -> all.addAll(List.of("-m", uri.getHost() + ":" + port(uri))));
      }
      all.addAll(more);
      return FlinkOptions.submit(stack, Optional.ofNullable(flinkHome), name, all, job, arguments);
    };
  }

  private static int port(URI uri) {
    if (uri.getPort() > 0) {
      return uri.getPort();
    }
    return "https".equals(uri.getScheme()) ? 443 : 80;
  }
}
