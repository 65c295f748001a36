package io.tributary.loadtests.watermark;

/**
 * A server's clock was set.
 *
 * @param server number of the source, from 1
 * @param nanos our monotonic clock before it was set
 * @param shownMicros the clock showed less than this before it was set; microseconds since 1970
 * @param shiftMicros by how much it was set forward; below zero when back
 * @param believed whether the time that it showed before is one that may have been announced: not
 *     when it was further ahead than a server's clock may be
 */
record ClockStep(int server, long nanos, long shownMicros, long shiftMicros, boolean believed) {
  boolean setsBackBelievedTime() {
    return shiftMicros < 0 && believed;
  }
}
