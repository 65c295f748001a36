package io.tributary.coordinator.core;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import java.util.Objects;
import java.util.Optional;

/**
 * Something the operator must see.
 *
 * @param group the group it concerns; absent when it concerns the table
 * @param text "Cannot X: expected Y, found Z", with the cure
 */
public record Alarm(Code code, TableName table, Optional<GroupName> group, String text) {
  /** What happened. */
  public enum Code {
    /** A group stands still until the operator acts; the text begins with the halt code. */
    GROUP_HALTED,
    /** A group waits for an epoch that did not arrive; its watermark stands. */
    GROUP_HELD,
    /** Messages of a superseded submission arrive. */
    ZOMBIE,
    /** A second submission took the incarnation of the first. */
    DUPLICATE_SUBMISSION,
    /** A shard's watermark went back; the higher one is kept. */
    WATERMARK_FELL,
    /** A shard was halted by its job. */
    SHARD_HALTED,
    /** A column came with a value in a shard's old rows, which the table does not have. */
    COLUMN_UNFILLED,
    /** The registry asks for something that cannot be done now; what the table says stays. */
    REGISTRY_REFUSED,
    /** A job was started with a newer registry than the coordinator has; it waits. */
    REGISTRY_BEHIND,
    /** A message that belongs to another table. */
    MISROUTED,
    /** The catalog or Kafka does not answer; tried again at each tick. */
    UNREACHABLE,
    /** The answer of a swap was lost; it is being settled. */
    UNKNOWN_OUTCOME,
    /** A swap was refused; the round is built anew. */
    CONFLICT,
    /** Another producer ended this coordinator's; the table tells whose it is. */
    FENCED,
    /** Nobody said whether a message is out; table and topic are read before it is sent again. */
    MESSAGE_UNCONFIRMED,
    /** The table's metadata grows beyond what is kept, or could not be tidied up. */
    TABLE_GROWS,
    /** Another coordinator has the table; this one has ended. */
    DEPOSED,
    /** Nothing is done for the table until the operator acts. */
    TABLE_STOPPED
  }

  public Alarm {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(text, "text");
  }
}
