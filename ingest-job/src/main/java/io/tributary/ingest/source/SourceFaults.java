package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Tells the connector's errors that a restart can heal from those that it cannot, and says the
 * latter in words for an operator.
 */
final class SourceFaults {
  private SourceFaults() {}

  /** Text that an error's message holds, and what it means. */
  private record Sign(String text, String meaning) {}

  private static final String OUT_OF_SYNC = "out of sync with real database schema";

  private static final String COPY_AGAIN =
      "; cure: copy the shards again from emptied partitions, and keep binlogs longer";

  /** The first that matches counts. */
  private static final Sign[] SIGNS = {
    // Another reader took the replica id. It may be this job's own predecessor on its way out.
    new Sign("same server_uuid/server_id", ""),
    new Sign(
        "no longer available on the server",
        "expected the binlog at that position, found it gone from the server" + COPY_AGAIN),
    new Sign(
        "purged required binary logs",
        "expected the binlog at that position, found it purged" + COPY_AGAIN),
    new Sign(
        "Could not find first log file name",
        "expected the binlog at that position, found it gone from the server" + COPY_AGAIN),
    new Sign(
        "Error code: 1236",
        "expected the server to send its binlog from that position, found that it cannot"
            + COPY_AGAIN),
    new Sign(
        OUT_OF_SYNC,
        "expected rows of the columns that the job was started with, found others; cure: submit the"
            + " job again, and if that fails copy the shards again"),
    new Sign(
        "whose schema isn't known",
        "expected only tables known at the start, found a change of another; cure: submit the job"
            + " again, and if that fails copy the shards again"),
    new Sign(
        "XA ",
        "expected transactions of one phase, found a prepared one (XA), which the reader cannot"
            + " follow; cure: copy the shards again"),
  };

  /** Whether rows came that have other columns than the reader knows. */
  static boolean isOutOfSync(Throwable error) {
    for (Throwable cause = error; cause != null; cause = next(cause)) {
      if (cause.getMessage() != null && cause.getMessage().contains(OUT_OF_SYNC)) {
        return true;
      }
    }
    return false;
  }

  /** The terminal form of an error; empty when a restart may heal it. */
  static Optional<TerminalSourceException> terminal(
      SourceSpec spec, Optional<SourcePosition> position, Throwable error) {
    if (error instanceof TerminalSourceException already) {
      return Optional.of(already);
    }
    for (Sign sign : SIGNS) {
      for (Throwable cause = error; cause != null; cause = next(cause)) {
        if (cause instanceof TerminalSourceException already) {
          return Optional.of(already);
        }
        if (cause.getMessage() != null && cause.getMessage().contains(sign.text())) {
          return sign.meaning().isEmpty()
              ? Optional.empty()
              : Optional.of(
                  new TerminalSourceException(
                      "Cannot read server %s on at %s (%s): %s"
                          .formatted(
                              spec.server(),
                              position.map(SourcePosition::toString).orElse("its start"),
                              shards(spec),
                              sign.meaning()),
                      error));
        }
      }
    }
    return Optional.empty();
  }

  private static String shards(SourceSpec spec) {
    int most = 5;
    String first =
        spec.shards().stream()
            .limit(most)
            .map(SourceSpec.Shard::toString)
            .collect(Collectors.joining(", "));
    int more = spec.shards().size() - most;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  private static Throwable next(Throwable error) {
    return error.getCause() == error ? null : error.getCause();
  }
}
