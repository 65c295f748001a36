package io.tributary.ingest.table;

import io.tributary.ingest.row.TableColumns;
import io.tributary.protocol.TableState;
import java.io.Serializable;
import java.util.Optional;

/** Reads the table through the catalog: what it remembers, and its columns. */
public interface TableStateReader extends Serializable {
  /**
   * @return absent when the table does not exist yet or no coordinator has claimed it
   * @throws RuntimeException when the catalog does not answer; try again
   */
  Optional<TableState> read();

  /**
   * The table's columns now.
   *
   * @return absent when the table does not exist yet
   * @throws RuntimeException when the catalog does not answer; try again
   */
  Optional<TableColumns> columns();
}
