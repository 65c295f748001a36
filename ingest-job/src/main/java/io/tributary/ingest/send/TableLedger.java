package io.tributary.ingest.send;

import io.tributary.ingest.seal.TableLayout;
import io.tributary.protocol.TableState;
import java.util.Optional;

/** The table as the sender sees it. Used by one thread. */
interface TableLedger extends ManifestStore, AutoCloseable {
  /**
   * What the table remembers.
   *
   * @return absent when there is no table or no coordinator has claimed it
   * @throws RuntimeException when the catalog does not answer; try again
   */
  Optional<TableState> state();

  /**
   * The table's layout now.
   *
   * @throws RuntimeException when the catalog does not answer; try again
   */
  TableLayout layout();

  @Override
  void close();
}
