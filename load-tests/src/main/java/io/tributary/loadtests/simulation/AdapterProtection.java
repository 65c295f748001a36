package io.tributary.loadtests.simulation;

/**
 * Rules that the product keeps outside its pure cores, in the code that talks to catalog, Kafka and
 * Flink. The simulation models that code, so what is switched off here is the model's rule; the
 * contract tests show that the product keeps it.
 */
public enum AdapterProtection {
  /** A data round is checked on the very base that is swapped. */
  CHECKED_BASE_OF_DATA_ROUNDS,
  /** A round without files is checked on the very base that is swapped. */
  CHECKED_BASE_OF_IDLE_ROUNDS,
  /** A claim is checked on the very base that is swapped. */
  CHECKED_BASE_OF_CLAIMS,
  /** The catalog compares before it replaces; Hive with locks does not. */
  COMPARE_AND_SET,
  /** After a conflict or an unknown outcome nothing is deleted. */
  NOTHING_DELETED,
  /** The tag moves in the same swap and keeps the last data round's snapshot. */
  TAG,
  /** The tag must be an ancestor of main. */
  TAG_IS_ANCESTOR,
  /** The files of a round are seen before it is committed. */
  FILES_SEEN,
  /** The files of a round lie in partitions that the group owns. */
  FILES_OWNED,
  /** A new producer fences the old ones. */
  FENCING,
  /** The old producers are fenced before the topic's tail is read. */
  FENCED_BEFORE_TAIL,
  /** A job reads nothing before the table shows its hello's answer. */
  GATE,
  /** Unsent epochs of the state are sent before the hello. */
  RESEND_BEFORE_HELLO,
  /** A state below the round or term that was seen is refused. */
  NEVER_BELOW_SEEN
}
