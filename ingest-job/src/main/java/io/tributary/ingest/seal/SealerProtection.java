package io.tributary.ingest.seal;

/**
 * The rules of sealing and sending that each keep something right. All are on in the product; a
 * test or a simulation may leave one out to show that it then finds the damage.
 */
public enum SealerProtection {
  /** Copied rows and changes of one barrier get sequence numbers of their own. */
  SLICES,
  /** A completed checkpoint also releases the epochs of barriers whose checkpoints did not. */
  SEND_ABORTED_EPOCHS,
  /** Each barrier that reaches the sealer is an epoch, also when it brings no rows. */
  EPOCH_CONTIGUITY,
  /** Shards that are copied anew have their partitions emptied first. */
  EMPTY_BEFORE_COPY,
  /** A source reads nothing before the table shows the answer to its submission's hello. */
  GATE,
  /** Unsent epochs of the state are sent before the hello. */
  RESEND_BEFORE_HELLO,
  /** A source passes no row on before the table has all columns of its shards. */
  COLUMNS_BEFORE_ROWS,
  /** Columns that did not come in time are asked for again. */
  ASK_AGAIN,
  /** What a writer closed early, for new columns, is a slice before what it closed later. */
  EARLY_SLICES,
  /** A shard that a statement emptied at its server is emptied in the table. */
  EMPTY_BEHIND_STATEMENT,
  /** It is emptied behind the files of the statement's barrier and before those of the next. */
  EMPTY_IN_ORDER,
  /** A source passes no row on between such a statement and the next barrier. */
  HOLD_UNTIL_BARRIER
}
