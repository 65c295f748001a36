package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.TableName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** When waiting for a time is over, and what is said when it does not end. Pure. */
final class WatermarkWait {
  private static final int SHARDS_NAMED = 10;

  private final TableName table;
  private final Instant until;
  private final boolean allowNotCovered;
  private Optional<CommitStatus> last = Optional.empty();

  WatermarkWait(TableName table, Instant until, boolean allowNotCovered) {
    this.table = table;
    this.until = until;
    this.allowNotCovered = allowNotCovered;
  }

  /**
   * @return whether the table is complete up to the wanted time, as far as this message says
   * @throws ShardsNotCoveredException when it will not be before an operator acts
   */
  boolean isOver(CommitStatus status) {
    last = Optional.of(status);
    if (!allowNotCovered) {
      List<CommitStatus.NotCovered> stuck =
          status.notCovered().stream().filter(shard -> !shard.reason().passes()).toList();
      if (!stuck.isEmpty()) {
        throw new ShardsNotCoveredException(
            "Cannot wait for table %s up to %s: expected every shard to be covered, found %s in round %s; resume or retire them, or allow shards that are not covered"
                .formatted(table, until, names(stuck), status.round()),
            status);
      }
      if (!status.notCovered().isEmpty()) {
        return false;
      }
    }
    return status
        .validThrough()
        .map(watermark -> !watermark.instant().isBefore(until))
        .orElse(false);
  }

  /**
   * @param timeout how long was waited
   * @param nothing what was found instead when there was no message at all
   */
  WatermarkNotReachedException timedOut(Duration timeout, String nothing) {
    return new WatermarkNotReachedException(
        "Cannot confirm table %s up to %s within %s s: expected a watermark of at least that, found %s"
            .formatted(table, until, seconds(timeout), last.map(this::found).orElse(nothing)),
        last);
  }

  private String found(CommitStatus status) {
    String found =
        status
            .validThrough()
            .map(
                watermark ->
                    watermark.instant().isBefore(until)
                        ? watermark
                            + ", "
                            + seconds(Duration.between(watermark.instant(), until))
                            + " s before it"
                        : watermark.toString())
            .or(
                () ->
                    status
                        .promisedThrough()
                        .map(
                            promised ->
                                "none: an operator accepted an older state of the table, and it is not yet as complete as the %s announced before"
                                    .formatted(promised)))
            .orElse("none yet, the first initial snapshots are not complete");
    return found
        + ", in round "
        + status.round()
        + " committed at "
        + status.committedAt()
        + (status.notCovered().isEmpty() ? "" : "; not covered: " + names(status.notCovered()));
  }

  private static String names(List<CommitStatus.NotCovered> shards) {
    String named =
        shards.stream()
            .limit(SHARDS_NAMED)
            .map(CommitStatus.NotCovered::toString)
            .collect(Collectors.joining(", "));
    return shards.size() > SHARDS_NAMED
        ? named + " and " + (shards.size() - SHARDS_NAMED) + " more"
        : named;
  }

  private static String seconds(Duration duration) {
    return java.math.BigDecimal.valueOf(duration.toMillis(), 3)
        .stripTrailingZeros()
        .toPlainString();
  }
}
