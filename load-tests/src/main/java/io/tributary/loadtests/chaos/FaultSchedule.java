package io.tributary.loadtests.chaos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Which faults come, in which order and company. The seed decides all of that; the machine decides
 * only when.
 *
 * <p>Faults come in waves: within one they begin a few seconds after each other, so that most meet
 * the recovery from others; then it is calm until the work goes on, which is measured. The kinds
 * come in decks: each deck holds every kind once, shuffled, so that after n decks each kind has
 * come n times. A wave is as large as it takes to keep up {@link #PER_MINUTE}.
 */
final class FaultSchedule {
  /** 25 kinds, each 15 times and some more, in 60 minutes. */
  static final double PER_MINUTE = 6.6;

  static final int LEAST_IN_WAVE = 3;
  static final int MOST_IN_WAVE = 14;

  private static final int LEAST_LENGTH_MS = 1_500;
  private static final int MOST_LENGTH_MS = 9_000;
  private static final int LEAST_GAP_MS = 300;
  private static final int MOST_GAP_MS = 5_000;

  private final Random random;
  private final Deque<FaultKind> deck = new ArrayDeque<>();

  /** More than half, since not every moment that is waited for comes. */
  private final Deque<Boolean> flights = new ArrayDeque<>();

  private int given;

  FaultSchedule(long seed) {
    this.random = new Random(seed);
  }

  /**
   * The next wave.
   *
   * @param elapsed since the first wave's begin
   */
  List<PlannedFault> wave(Duration elapsed) {
    // One wave takes about a minute; what the last ones took longer is made up for.
    double due = PER_MINUTE * (elapsed.toMillis() / 60_000.0 + 1) - given;
    int size = (int) Math.max(LEAST_IN_WAVE, Math.min(MOST_IN_WAVE, Math.ceil(due)));
    List<PlannedFault> wave = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      wave.add(next());
    }
    return wave;
  }

  PlannedFault next() {
    given++;
    return new PlannedFault(
        given,
        kind(),
        random.nextInt(Integer.MAX_VALUE),
        Duration.ofMillis(between(LEAST_LENGTH_MS, MOST_LENGTH_MS)),
        Duration.ofMillis(between(LEAST_GAP_MS, MOST_GAP_MS)),
        flight());
  }

  private FaultKind kind() {
    if (deck.isEmpty()) {
      List<FaultKind> kinds = new ArrayList<>(Arrays.asList(FaultKind.values()));
      Collections.shuffle(kinds, random);
      deck.addAll(kinds);
    }
    return deck.remove();
  }

  private boolean flight() {
    if (flights.isEmpty()) {
      List<Boolean> some =
          new ArrayList<>(List.of(true, true, true, true, true, true, false, false));
      Collections.shuffle(some, random);
      flights.addAll(some);
    }
    return flights.remove();
  }

  private int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }
}
