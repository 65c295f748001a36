package io.tributary.ingest.table;

import io.tributary.ingest.row.TableColumns;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import java.util.Objects;
import java.util.Optional;

/** Reads the table's state from its properties. Each reader keeps one open catalog. */
public final class CatalogTableStateReader implements TableStateReader, AutoCloseable {
  private final TableAccess access;
  private transient TableHandle handle;

  public CatalogTableStateReader(TableAccess access) {
    this.access = Objects.requireNonNull(access, "access");
  }

  /**
   * @throws TableUnavailableException when the catalog does not answer
   * @throws io.tributary.protocol.UnreadableMessageException when the state is not whole
   * @throws IllegalStateException when the state belongs to another table
   */
  @Override
  public synchronized Optional<TableState> read() {
    return handle()
        .load()
        .flatMap(
            table -> {
              Optional<TableState> state = TableStateCodec.decode(table.properties());
              state.ifPresent(
                  found -> {
                    if (!found.tableUuid().value().equals(table.uuid())) {
                      throw new IllegalStateException(
                          "Cannot use the state of table %s: expected the state of table uuid %s, found %s; its properties were copied from another table"
                              .formatted(access.table(), table.uuid(), found.tableUuid()));
                    }
                  });
              return state;
            });
  }

  @Override
  public synchronized Optional<TableColumns> columns() {
    return handle()
        .load()
        .map(table -> IcebergColumns.of(table.schema(), table.schemas().values()));
  }

  private TableHandle handle() {
    if (handle == null) {
      handle = new TableHandle(access);
    }
    return handle;
  }

  @Override
  public synchronized void close() {
    if (handle != null) {
      handle.close();
    }
  }
}
