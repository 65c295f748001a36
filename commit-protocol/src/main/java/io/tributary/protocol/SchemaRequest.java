package io.tributary.protocol;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A job needs columns that the table does not have, or not as wide. Only the coordinator alters the
 * table; the job goes on once the table has them. Asked for twice, or by two groups, a column is
 * added once.
 *
 * @param tableUuid the table that was looked at
 * @param shard whose rows need the columns
 * @param columns at least one, each name once
 * @param position where the statement that brought them ends in the source's binlog, or where the
 *     reader stood when it found them
 * @param sentAt by the job's clock
 */
public record SchemaRequest(
    TableName table,
    TableUuid tableUuid,
    GroupName group,
    Incarnation incarnation,
    SubmissionId submission,
    ShardId shard,
    List<RequestedColumn> columns,
    SourcePosition position,
    Instant sentAt)
    implements ControlMessage {
  /**
   * @throws IllegalArgumentException when there is no column, or one is there twice
   */
  public SchemaRequest {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(tableUuid, "tableUuid");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(submission, "submission");
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(sentAt, "sentAt");
    columns = List.copyOf(columns);
    Set<String> names = new HashSet<>();
    if (columns.isEmpty() || !columns.stream().map(RequestedColumn::name).allMatch(names::add)) {
      throw new IllegalArgumentException(
          "Cannot use the schema request of group %s: expected columns, each once, found %s"
              .formatted(group, columns));
    }
  }
}
