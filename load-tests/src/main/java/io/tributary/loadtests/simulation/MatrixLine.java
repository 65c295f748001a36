package io.tributary.loadtests.simulation;

/** The lines of the protocol's failure matrix; counted when what they describe has happened. */
public enum MatrixLine {
  DIES_BEFORE_CHECKPOINT("ingest job dies before its checkpoint completes"),
  DIES_WHILE_SENDING("dies after it, before or during the send"),
  ABORTED_BARRIER("a barrier whose checkpoint is aborted, or a savepoint never reported complete"),
  SENT_TWICE("committable sent twice, several re-sent behind the committed one"),
  ZOMBIE("zombie ingest job; two submissions of one group"),
  REWOUND("ingest restored from an old savepoint"),
  PREDECESSOR_PENDING(
      "ingest restarted with or without state, its predecessor's committables pending"),
  SECOND_COPY("snapshot phase restarted with its state lost, rows deleted in between"),
  COORDINATOR_DIES("coordinator dies before, during, after the swap or the message"),
  COORDINATOR_WITHOUT_STATE("coordinator restarted with no state, or from an old one"),
  TWO_COORDINATORS("two coordinators, same term by a lost claim, a deposed one that wakes"),
  ANSWER_LOST("metastore answer lost, executed late, foreign commits in between"),
  TABLE_TAMPERED("table rolled back, restored, re-created"),
  STATE_ACCEPTED("an operator accepts the table as it is"),
  TABLE_ADOPTED("an operator adopts a table without a state"),
  KAFKA_DOWN("Kafka down"),
  METASTORE_OR_REGISTRY_DOWN("metastore or ZooKeeper down"),
  MAINTENANCE("snapshots expired, compaction, orphan cleanup by another engine in between"),
  BACKLOG("k epochs of one group backlogged beside one of another"),
  MEMBERSHIP("group added, paused, removed; shard moved"),
  COLUMNS_CHANGE("columns change in one shard, or in several at once"),
  SHARD_EMPTIED("a shard is emptied by a statement, and its job is disturbed behind it");

  private final String text;

  MatrixLine(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
