package io.tributary.loadtests.fuzz;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The binlog reader's own way of logging, which else would write to the terminal. */
public final class BinlogReaderLogs {
  // Java forgets the level of a logger that nobody holds.
  private static final List<Logger> LOGGERS =
      List.of(
          Logger.getLogger("com.github.shyiko.mysql.binlog"),
          Logger.getLogger("io.tributary.ingest.source"));

  private BinlogReaderLogs() {}

  public static void quieten() {
    LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
  }
}
