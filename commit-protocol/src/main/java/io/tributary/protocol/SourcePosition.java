package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * Where a reader stands in a server's binlog: enough to go on from exactly there, also in the
 * middle of a transaction.
 *
 * @param file the binlog file's name
 * @param position the byte offset in it, at least 0
 * @param gtidSet the executed GTID set, where the server has GTIDs that the reader follows
 * @param skipEvents events of the transaction at the position that were already delivered
 * @param skipRows rows of the event after those that were already delivered
 * @param serverIdentity which server the position belongs to, as far as it is known: in another
 *     server's binlog it means nothing
 */
public record SourcePosition(
    String file,
    long position,
    Optional<String> gtidSet,
    long skipEvents,
    long skipRows,
    Optional<String> serverIdentity) {
  /**
   * @throws IllegalArgumentException when a number is negative or the file has no name
   */
  public SourcePosition {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(gtidSet, "gtidSet");
    Objects.requireNonNull(serverIdentity, "serverIdentity");
    if (file.isBlank() || position < 0 || skipEvents < 0 || skipRows < 0) {
      throw new IllegalArgumentException(
          "Cannot use file '%s', position %d, events %d, rows %d as a source position: expected a file name and numbers not below 0"
              .formatted(file, position, skipEvents, skipRows));
    }
  }

  /** A position of a server that is not known. */
  public SourcePosition(
      String file, long position, Optional<String> gtidSet, long skipEvents, long skipRows) {
    this(file, position, gtidSet, skipEvents, skipRows, Optional.empty());
  }

  public static SourcePosition of(String file, long position) {
    return new SourcePosition(file, position, Optional.empty(), 0, 0);
  }

  /** The same position, said to be of this server. */
  public SourcePosition on(Optional<String> identity) {
    return new SourcePosition(file, position, gtidSet, skipEvents, skipRows, identity);
  }

  @Override
  public String toString() {
    return file
        + ":"
        + position
        + gtidSet.map(set -> " gtids " + set).orElse("")
        + (skipEvents + skipRows > 0 ? " +" + skipEvents + "/" + skipRows : "");
  }
}
