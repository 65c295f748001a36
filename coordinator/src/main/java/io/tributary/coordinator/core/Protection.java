package io.tributary.coordinator.core;

/**
 * The rules that keep the table right, one by one. Only the simulation switches one off, to show
 * that it is needed; nothing in the configuration reaches them.
 */
public enum Protection {
  /** An epoch is admitted only on top of the very epoch it was sealed after. */
  CHAIN_HASH,
  /** Only the newest known submission's epochs count. */
  INCARNATION,
  /** A hello voids what is pending behind the epoch it continues from. */
  HELLO_ORDER,
  /** A swap is made only on a base that carries this coordinator's term and owner. */
  TERM_AND_OWNER,
  /** A lost answer is settled by a claim before anything is decided. */
  CLAIM_AFTER_UNKNOWN,
  /** After a refused swap the table is asked whether the plan is there all the same. */
  CONFLICT_IS_NO_PROOF,
  /** A coordinator that finds another's term and owner in the table ends. */
  DEPOSED_NEVER_CLAIMS,
  /** A slice that must reach earlier rows gets a sequence number of its own. */
  SLICES_IN_ORDER,
  /** The message of a round is out before the next round is made. */
  PUBLISH_BEFORE_NEXT,
  /** What the topic holds is read before a message is sent again. */
  TAIL_BEFORE_PUBLISH,
  /** An epoch above the next one waits for the missing one. */
  EPOCH_CONTIGUITY,
  /** A group's epochs speak only for the shards it owns. */
  OWNERSHIP,
  /** No watermark before every first shard has finished its initial snapshot. */
  NULL_WATERMARK_DURING_SNAPSHOT,
  /** A second initial snapshot starts from emptied partitions. */
  EMPTY_BEFORE_SECOND_COPY,
  /** A watermark never falls. */
  MONOTONE_WATERMARK,
  /** Records of the control topic are kept as long as one of them may still be needed. */
  PINNED_OFFSETS,
  /** Epochs written for another table of the same name never get in. */
  TABLE_IDENTITY,
  /** A round with files is built on the very base that was checked. */
  CHECKED_BASE_OF_DATA_ROUNDS,
  /** A round without files is built on the very base that was checked. */
  CHECKED_BASE_OF_IDLE_ROUNDS,
  /** A claim is made on the very base that was checked. */
  CHECKED_BASE_OF_CLAIMS,
  /** The tag moves in the same swap as the data and keeps the last data round's snapshot. */
  TAG,
  /** The tag must be an ancestor of main. */
  TAG_IS_ANCESTOR,
  /** The files of a round are seen before it is committed. */
  FILES_SEEN,
  /** The files of a round lie in partitions that the group owns. */
  FILES_OWNED,
  /** The files of a round were written with columns that the table has, under the same ids. */
  FILES_OF_THE_SCHEMA,
  /** A state below the round or term that was seen is refused. */
  NEVER_BELOW_SEEN,
  /**
   * The catalog compares before it replaces: a table whose commits take Hive's locks is refused.
   */
  COMPARE_AND_SET,
  /** After a swap that is not known to be done nothing of it is deleted. */
  NOTHING_DELETED,
  /** A new producer of status messages ends the old ones. */
  FENCING,
  /** The old producers are ended before the topic's tail is read. */
  FENCED_BEFORE_TAIL,
  /** A request for columns counts only from the newest submission, for a shard of its group. */
  REQUESTS_FENCED,
  /** A request for columns is kept until the round that adds them is known to be committed. */
  REQUESTS_KEPT,
  /** A column that the table has is not added again. */
  COLUMNS_ADDED_ONCE,
  /** A column of the table only becomes wider. */
  COLUMNS_ONLY_WIDEN
}
