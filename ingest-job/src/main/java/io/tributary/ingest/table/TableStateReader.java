package io.tributary.ingest.table;

import io.tributary.protocol.TableState;
import java.io.Serializable;
import java.util.Optional;

/** Reads what the table remembers, through the catalog. */
@FunctionalInterface
public interface TableStateReader extends Serializable {
  /**
   * @return absent when the table does not exist yet or no coordinator has claimed it
   * @throws RuntimeException when the catalog does not answer; try again
   */
  Optional<TableState> read();
}
