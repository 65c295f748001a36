package io.tributary.coordinator.core;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;

/**
 * Against what a message of the control topic is judged.
 *
 * @param term this coordinator's, for messages
 */
record Judgement(
    TableName table,
    TableUuid tableUuid,
    Term term,
    TableLayout layout,
    Membership membership,
    Protections protections) {

  String subject(GroupName group, Epoch epoch) {
    return "epoch %s of group %s into table %s in term %s".formatted(epoch, group, table, term);
  }

  /** The cure that always works: what the group had not committed is read again. */
  static String startFromTable(GroupName group) {
    return "; cure: start group %s anew without Flink state (bin/tributary run-group %s), it goes on from what the table remembers"
        .formatted(group, group);
  }
}
