package io.tributary.loadtests.watermark;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Compares what was announced with what was committed, when both are known to the end. At each
 * announced T, each transaction that its source had committed before its clock first showed T must
 * be in the snapshot of that message:
 *
 * <ul>
 *   <li>A COMMIT that had returned when the source's clock showed less than T is such a
 *       transaction.
 *   <li>Where the clock had been set back before, that it showed T for the first time means that it
 *       had passed all that it showed before it was set back. What is committed while it shows a
 *       time again belongs to the first T behind that.
 * </ul>
 *
 * Also, watermarks never fall, the table's is none that a shard has not reached, and none is
 * further ahead of our clock than a server's may be.
 */
final class WatermarkAudit {
  private static final int MOST_NAMED = 10;

  private final Duration mostAhead;
  private final List<Announcement> announcements = new ArrayList<>();

  /** By row, the index of the first message whose snapshot has it. */
  private final Map<SourceCommit.RowId, Integer> seen = new HashMap<>();

  private final List<String> missing = new ArrayList<>();
  private final List<String> wrongTimes = new ArrayList<>();
  private long missed;
  private long wrong;
  private long checked;
  private long pairs;
  private long repeatedTimes;

  /**
   * @param mostAhead how far a server's clock may be ahead of ours
   */
  WatermarkAudit(Duration mostAhead) {
    this.mostAhead = mostAhead;
  }

  /**
   * The next message.
   *
   * @param added rows that its snapshot has and the one of the message before has not
   */
  void announced(Announcement announcement, List<SourceCommit.RowId> added) {
    int index = announcements.size();
    announcements.add(announcement);
    added.forEach(row -> seen.putIfAbsent(row, index));
  }

  /** Checks everything; once, when all that was committed is known. */
  void check(List<SourceCommit> commits, List<ClockStep> steps) {
    checkTimes();
    for (SourceCommit commit : commits) {
      long shown = shown(commit, steps);
      if (shown > commit.confirmedMicros()) {
        repeatedTimes++;
      }
      boolean whole = true;
      boolean promised = false;
      for (SourceCommit.RowId row : commit.rows()) {
        Optional<Integer> first = firstPromise(row.shard(), shown);
        if (first.isEmpty()) {
          continue;
        }
        promised = true;
        Integer there = seen.get(row);
        if (there == null || there > first.get()) {
          whole = false;
          Announcement promise = announcements.get(first.get());
          name(
              missing,
              "round %d says shard %s is complete up to %s, but row %d of a transaction confirmed at %s%s is %s"
                  .formatted(
                      promise.round(),
                      row.shard(),
                      promise.shards().get(row.shard()),
                      row.id(),
                      Watermark.ofEpochMicros(commit.confirmedMicros()),
                      shown > commit.confirmedMicros()
                          ? " (its clock had shown less than %s before)"
                              .formatted(Watermark.ofEpochMicros(shown))
                          : "",
                      there == null
                          ? "not there"
                          : "there from round " + announcements.get(there).round() + " on"));
        }
      }
      checked += promised ? 1 : 0;
      missed += whole ? 0 : 1;
    }
  }

  private void checkTimes() {
    Map<ShardId, Watermark> before = new TreeMap<>();
    Optional<Watermark> table = Optional.empty();
    for (Announcement each : announcements) {
      pairs += each.shards().size();
      for (Map.Entry<ShardId, Watermark> shard : each.shards().entrySet()) {
        Watermark last = before.put(shard.getKey(), shard.getValue());
        if (last != null && shard.getValue().compareTo(last) < 0) {
          wrong(
              "round %d takes shard %s back from %s to %s"
                  .formatted(each.round(), shard.getKey(), last, shard.getValue()));
        }
        if (shard.getValue().instant().isAfter(each.received().plus(mostAhead))) {
          wrong(
              "round %d says shard %s is complete up to %s, at %s"
                  .formatted(each.round(), shard.getKey(), shard.getValue(), each.received()));
        }
        if (each.validThrough().filter(t -> t.compareTo(shard.getValue()) > 0).isPresent()) {
          wrong(
              "round %d says the table is complete up to %s, and shard %s up to %s"
                  .formatted(
                      each.round(), each.validThrough().get(), shard.getKey(), shard.getValue()));
        }
      }
      Optional<Watermark> earlier = table;
      if (earlier.isPresent()
          && each.validThrough().filter(t -> t.compareTo(earlier.get()) >= 0).isEmpty()) {
        wrong(
            "round %d takes the table back from %s to %s"
                .formatted(each.round(), earlier.get(), each.validThrough()));
      }
      table = each.validThrough().or(() -> earlier);
    }
  }

  /**
   * The highest time that the source's clock may have shown, and that may have been announced,
   * until the transaction was committed.
   */
  static long shown(SourceCommit commit, List<ClockStep> steps) {
    return steps.stream()
        .filter(step -> step.server() == commit.server() && step.setsBackBelievedTime())
        .filter(step -> step.nanos() <= commit.nanos())
        .mapToLong(ClockStep::shownMicros)
        .reduce(commit.confirmedMicros(), Math::max);
  }

  /** The first message that promises what was committed when the clock had shown less. */
  private Optional<Integer> firstPromise(ShardId shard, long shownMicros) {
    int low = 0;
    int high = announcements.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      Watermark watermark = announcements.get(middle).shards().get(shard);
      if (watermark != null && watermark.toEpochMicros() > shownMicros) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low < announcements.size() ? Optional.of(low) : Optional.empty();
  }

  private void wrong(String violation) {
    wrong++;
    name(wrongTimes, violation);
  }

  private static void name(List<String> named, String violation) {
    if (named.size() < MOST_NAMED) {
      named.add(violation);
    }
  }

  /** Messages times the shards whose watermark they told. */
  long pairs() {
    return pairs;
  }

  int messages() {
    return announcements.size();
  }

  /** Transactions that a watermark has spoken for. */
  long checked() {
    return checked;
  }

  /** Transactions that were committed while their source's clock showed a time again. */
  long repeatedTimes() {
    return repeatedTimes;
  }

  /** Transactions that were missing when a watermark spoke for them. */
  long missing() {
    return missed;
  }

  /** Watermarks that fell, ran ahead, or were above a shard's. */
  long wrongTimes() {
    return wrong;
  }

  /** The first violations of each kind, in words. */
  List<String> violations() {
    return Stream.concat(missing.stream(), wrongTimes.stream()).toList();
  }
}
