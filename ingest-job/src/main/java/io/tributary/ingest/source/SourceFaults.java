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

  /** Whom a fault concerns. */
  private enum Kind {
    /** A restart may heal it. */
    PASSING,
    /** The server's log at the position; other servers' are as they were. */
    LOG,
    /** The job that reads. */
    JOB
  }

  /** Text that an error's message holds, and what it means. */
  private record Sign(String text, Kind kind, String meaning) {}

  private static final String OUT_OF_SYNC = "out of sync with real database schema";

  private static final String COPY_AGAIN =
      "; cure: copy the shards again from emptied partitions, and keep binlogs longer";

  /** The first that matches counts. */
  private static final Sign[] SIGNS = {
    // Another reader took the replica id. It may be this job's own predecessor on its way out.
    new Sign("same server_uuid/server_id", Kind.PASSING, ""),
    new Sign(
        "no longer available on the server",
        Kind.LOG,
        "expected the binlog at that position, found it gone from the server" + COPY_AGAIN),
    new Sign(
        "purged required binary logs",
        Kind.LOG,
        "expected the binlog at that position, found it purged" + COPY_AGAIN),
    new Sign(
        "Could not find first log file name",
        Kind.LOG,
        "expected the binlog at that position, found it gone from the server" + COPY_AGAIN),
    new Sign(
        "Error code: 1236",
        Kind.LOG,
        "expected the server to send its binlog from that position, found that it cannot"
            + COPY_AGAIN),
    new Sign(
        OUT_OF_SYNC,
        Kind.JOB,
        "expected rows of the columns that the job was started with, found others; cure: submit the"
            + " job again, and if that fails copy the shards again"),
    new Sign(
        "whose schema isn't known",
        Kind.JOB,
        "expected only tables known at the start, found a change of another; cure: submit the job"
            + " again, and if that fails copy the shards again"),
    new Sign(
        "XA ",
        Kind.LOG,
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

  /**
   * What is wrong with the server's log, so that its shards can be read no further; empty when it
   * is something else.
   */
  static Optional<String> lostLog(Throwable error) {
    return sign(error).filter(sign -> sign.kind() == Kind.LOG).map(Sign::meaning);
  }

  /** The terminal form of an error; empty when a restart may heal it. */
  static Optional<TerminalSourceException> terminal(
      SourceSpec spec, Optional<SourcePosition> position, Throwable error) {
    for (Throwable cause = error; cause != null; cause = next(cause)) {
      if (cause instanceof TerminalSourceException already) {
        return Optional.of(already);
      }
    }
    return sign(error)
        .filter(sign -> sign.kind() != Kind.PASSING)
        .map(
            sign ->
                new TerminalSourceException(
                    "Cannot read server %s on at %s (%s): %s"
                        .formatted(
                            spec.server(),
                            position.map(SourcePosition::toString).orElse("its start"),
                            shards(spec),
                            sign.meaning()),
                    error));
  }

  private static Optional<Sign> sign(Throwable error) {
    for (Sign sign : SIGNS) {
      for (Throwable cause = error; cause != null; cause = next(cause)) {
        if (cause instanceof TerminalSourceException) {
          return Optional.empty();
        }
        if (cause.getMessage() != null && cause.getMessage().contains(sign.text())) {
          return Optional.of(sign);
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
