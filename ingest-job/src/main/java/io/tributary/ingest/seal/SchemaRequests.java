package io.tributary.ingest.seal;

import io.tributary.ingest.source.SchemaWish;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.TableUuid;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Decides when a submission asks the coordinator for the columns that its sources wait for: at
 * once, and again when nothing came of it for long, since the control topic may have lost the
 * request or a coordinator dropped it. Sources repeat their wishes at each barrier. Not part of
 * Flink state: after a restart everything is asked for anew. Not thread-safe.
 */
public final class SchemaRequests {
  /** How long to wait for an answer; a coordinator gives it with its next round. */
  public static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final int MOST_REMEMBERED = 1_000;

  private final Submission submission;
  private final Duration patience;
  private final Set<SealerProtection> protections;

  /** When each wish was last passed on. */
  private final Map<SchemaWish, Instant> asked = new HashMap<>();

  /**
   * @param patience after which to ask again, above 0
   * @param protections all of them, outside tests that show what one of them is for
   */
  public SchemaRequests(
      Submission submission, Duration patience, Set<SealerProtection> protections) {
    this.submission = Objects.requireNonNull(submission, "submission");
    this.patience = Objects.requireNonNull(patience, "patience");
    this.protections = Set.copyOf(protections);
  }

  /**
   * A source waits for columns.
   *
   * @param table that the submission's epochs are for; absent while the coordinator has not
   *     answered, when it would drop any request
   * @param now by the job's clock; one that was set back asks again
   * @return what to send, if anything
   */
  public Optional<SchemaRequest> ask(SchemaWish wish, Optional<TableUuid> table, Instant now) {
    Instant before = asked.get(wish);
    boolean waits =
        before != null
            && (!protections.contains(SealerProtection.ASK_AGAIN)
                || !now.isBefore(before) && now.isBefore(before.plus(patience)));
    if (table.isEmpty() || waits) {
      return Optional.empty();
    }
    if (asked.size() >= MOST_REMEMBERED) {
      asked.clear();
    }
    asked.put(wish, now);
    return Optional.of(
        new SchemaRequest(
            submission.table(),
            table.get(),
            submission.group(),
            submission.incarnation(),
            submission.id(),
            wish.shard(),
            wish.columns(),
            wish.position(),
            now));
  }
}
