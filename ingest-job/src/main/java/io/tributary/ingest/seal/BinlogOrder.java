package io.tributary.ingest.seal;

import io.tributary.protocol.SourcePosition;
import java.util.Comparator;

/**
 * The order of two readers' positions in one server's binlog. Files are numbered, and the number
 * outgrows its six digits: {@code .1000000} comes after {@code .999999}.
 */
enum BinlogOrder implements Comparator<SourcePosition> {
  INSTANCE;

  private static final Comparator<SourcePosition> ORDER =
      Comparator.comparingLong(BinlogOrder::fileNumber)
          .thenComparing(SourcePosition::file)
          .thenComparingLong(SourcePosition::position)
          .thenComparingLong(SourcePosition::skipEvents)
          .thenComparingLong(SourcePosition::skipRows);

  private static long fileNumber(SourcePosition position) {
    String suffix = position.file().substring(position.file().lastIndexOf('.') + 1);
    return suffix.matches("[0-9]{1,18}") ? Long.parseLong(suffix) : -1;
  }

  @Override
  public int compare(SourcePosition one, SourcePosition other) {
    return ORDER.compare(one, other);
  }
}
