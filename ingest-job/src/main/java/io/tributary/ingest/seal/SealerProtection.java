package io.tributary.ingest.seal;

/**
 * The rules of sealing that each keep something right. All are on in the product; a test or a
 * simulation may leave one out to show that it then finds the damage.
 */
public enum SealerProtection {
  /** Copied rows and changes of one barrier get sequence numbers of their own. */
  SLICES,
  /** A completed checkpoint also releases the epochs of barriers whose checkpoints did not. */
  SEND_ABORTED_EPOCHS,
  /** Each barrier that reaches the sealer is an epoch, also when it brings no rows. */
  EPOCH_CONTIGUITY,
  /** Shards that are copied anew have their partitions emptied first. */
  EMPTY_BEFORE_COPY
}
