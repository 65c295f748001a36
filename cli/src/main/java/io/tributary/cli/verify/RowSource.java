package io.tributary.cli.verify;

import java.io.IOException;
import java.sql.SQLException;

/** Rows that are passed on one by one, so that none need stay in memory. */
interface RowSource {
  /** Takes one row. */
  interface Taker {
    void take(PackedRow row) throws IOException;
  }

  /** Passes every row on once, in no certain order. */
  void forEach(Taker taker) throws IOException, SQLException;
}
