package io.tributary.ingest.send;

import io.tributary.ingest.seal.TableLayout;
import io.tributary.ingest.table.CatalogTableStateReader;
import io.tributary.ingest.table.TableAccess;
import io.tributary.ingest.table.TableHandle;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;

/** The table through its catalog. */
final class CatalogLedger implements TableLedger {
  private final TableAccess access;
  private final TableHandle handle;
  private final CatalogTableStateReader states;

  CatalogLedger(TableAccess access) {
    this.access = access;
    this.handle = new TableHandle(access);
    this.states = new CatalogTableStateReader(access);
  }

  @Override
  public Optional<TableState> state() {
    return states.read();
  }

  @Override
  public TableLayout layout() {
    Table table = table();
    return new TableLayout(
        new TableUuid(table.uuid()),
        table.schema().schemaId(),
        table.spec().specId(),
        TableUtil.formatVersion(table));
  }

  /** Named by its content: stored twice it is the same file. */
  @Override
  public CommittableManifest.Stored store(
      Committable committable, CommittableManifest.Inline manifest) {
    Table table = table();
    String path =
        "%s/metadata/tributary/%s-%06d-%s-%s.avro"
            .formatted(
                table.location(),
                committable.group(),
                committable.epoch().value(),
                manifest.content(),
                manifest.sha256().substring(0, 32));
    try (OutputStream out = table.io().newOutputFile(path).createOrOverwrite()) {
      out.write(manifest.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot store a manifest of epoch %s of group %s: expected to write %s"
              .formatted(committable.epoch(), committable.group(), path),
          e);
    }
    return new CommittableManifest.Stored(
        manifest.content(), path, manifest.length(), manifest.sha256());
  }

  private Table table() {
    return handle
        .load()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "Cannot use table %s: expected it in its catalog, found none"
                        .formatted(access.table())));
  }

  @Override
  public void close() {
    handle.close();
    states.close();
  }
}
