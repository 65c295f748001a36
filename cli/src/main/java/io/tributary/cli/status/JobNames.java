package io.tributary.cli.status;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import java.util.regex.Pattern;

/** How our jobs are called on a Flink cluster. */
public final class JobNames {
  /** How the names of the jobs that commit begin; the tables follow. */
  public static final String COORDINATOR = "tributary coordinator";

  /** A table's part of the coordinator's job, in the name of a vertex. */
  static final Pattern COORDINATOR_OF = Pattern.compile("\\bcoordinator (\\S+)");

  private JobNames() {}

  /** How a table's part of the coordinator's job is called. */
  static String coordinatorOf(TableName table) {
    return "coordinator " + table;
  }

  /** The job that reads a group's shards. */
  public static String ingest(GroupName group) {
    return "tributary ingest " + group;
  }
}
