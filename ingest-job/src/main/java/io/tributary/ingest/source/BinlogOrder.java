package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.util.Optional;

/**
 * The order of positions in one server's binlog. The connector's own comparison is not used: it
 * compares file names as text (.999999 and .1000000) and mistakes foreign GTIDs.
 */
final class BinlogOrder {
  private BinlogOrder() {}

  /**
   * Whether a reader that stands at one position has delivered everything before another, which
   * lies between two transactions. With GTIDs on both sides the reader's set must contain the
   * other's; else file and offset decide.
   */
  static boolean reached(SourcePosition reader, SourcePosition target) {
    Optional<String> readerSet = present(reader);
    Optional<String> targetSet = present(target);
    if (readerSet.isPresent() && targetSet.isPresent()) {
      return GtidSet.parse(targetSet.get()).isContainedIn(GtidSet.parse(readerSet.get()));
    }
    return compareFiles(reader, target) >= 0;
  }

  /** Whether the second of two positions, read one after the other, lies before the first. */
  static boolean wentBack(SourcePosition earlier, SourcePosition later) {
    Optional<String> earlierSet = present(earlier);
    Optional<String> laterSet = present(later);
    if (earlierSet.isPresent() && laterSet.isPresent()) {
      return !GtidSet.parse(earlierSet.get()).isContainedIn(GtidSet.parse(laterSet.get()));
    }
    return compareFiles(later, earlier) < 0;
  }

  /** Orders by the number at the end of the file's name, then by the offset. */
  static int compareFiles(SourcePosition one, SourcePosition other) {
    int byFile = Long.compare(number(one.file()), number(other.file()));
    return byFile != 0 ? byFile : Long.compare(one.position(), other.position());
  }

  private static Optional<String> present(SourcePosition position) {
    return position.gtidSet().filter(set -> !set.isBlank());
  }

  private static long number(String file) {
    String digits = file.substring(file.lastIndexOf('.') + 1);
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Cannot compare binlog file '" + file + "': expected a name that ends in a number", e);
    }
  }
}
