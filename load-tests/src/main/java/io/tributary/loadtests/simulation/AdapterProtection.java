package io.tributary.loadtests.simulation;

/**
 * Rules that the product keeps outside its pure cores, in the code that talks to catalog, Kafka and
 * Flink. The simulation models that code, so what is switched off here is the model's rule; the
 * contract tests show that the product keeps it.
 */
public enum AdapterProtection {
  /** The catalog compares before it replaces; Hive with locks does not. */
  COMPARE_AND_SET,
  /** After a conflict or an unknown outcome nothing is deleted. */
  NOTHING_DELETED,
  /** A new producer fences the old ones. */
  FENCING,
  /** The old producers are fenced before the topic's tail is read. */
  FENCED_BEFORE_TAIL,
  /** A job reads nothing before the table shows its hello's answer. */
  GATE,
  /** Unsent epochs of the state are sent before the hello. */
  RESEND_BEFORE_HELLO
}
