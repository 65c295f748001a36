package io.tributary.loadtests.watermark;

import java.time.Duration;

/**
 * When which clock is set, and to what: a little back, a little forward, an hour forward and soon
 * back again, further back, further forward; each of it to one server after the other.
 *
 * @param every between two steps
 * @param correctedAfter so soon a clock that was set an hour forward is set back
 */
record ClockPlan(Duration every, Duration correctedAfter) {
  private static final int SERVERS = 2;
  private static final Duration FAR = Duration.ofHours(1);

  private enum Kind {
    BACK(Duration.ofSeconds(-3)),
    FORWARD(Duration.ofSeconds(4)),
    FAR_FORWARD_AND_BACK(FAR),
    FURTHER_BACK(Duration.ofSeconds(-8)),
    FURTHER_FORWARD(Duration.ofSeconds(7));

    private final Duration shift;

    Kind(Duration shift) {
      this.shift = shift;
    }
  }

  /**
   * One step.
   *
   * @param server number of the source, from 1
   * @param shift by how much its clock is set forward
   * @param corrected whether it is soon set back again
   */
  record Step(int server, Duration shift, boolean corrected) {}

  Step step(int index) {
    Kind kind = Kind.values()[index / SERVERS % Kind.values().length];
    return new Step(index % SERVERS + 1, kind.shift, kind == Kind.FAR_FORWARD_AND_BACK);
  }
}
