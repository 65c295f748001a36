package io.tributary.cli;

import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.registry.CatalogSpec;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;

/** Reads a table through the registry's catalog; never writes. */
public final class LakeTable implements AutoCloseable {
  private final TableName name;
  private final Catalog catalog;

  private LakeTable(TableName name, Catalog catalog) {
    this.name = name;
    this.catalog = catalog;
  }

  /** Opens the catalog; secrets are read now. */
  public static LakeTable open(CatalogSpec spec, TableName name) {
    Map<String, String> properties = spec.resolveProperties();
    properties.put(CatalogUtil.ICEBERG_CATALOG_TYPE, spec.type().word());
    Configuration hadoop = new Configuration();
    properties.forEach(hadoop::set);
    return new LakeTable(name, CatalogUtil.buildIcebergCatalog(spec.name(), properties, hadoop));
  }

  /**
   * The table as it is now.
   *
   * @return empty when there is none
   * @throws CliException when the catalog does not answer
   */
  public Optional<Table> load() {
    try {
      return Optional.of(catalog.loadTable(TableIdentifier.parse(name.value())));
    } catch (NoSuchTableException e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot read table %s: expected an answer of catalog %s, found %s"
              .formatted(name, catalog.name(), e.getMessage()),
          e);
    }
  }

  /**
   * What the table remembers.
   *
   * @return empty when there is no table or no coordinator has claimed it
   */
  public Optional<TableState> state() {
    return load().flatMap(table -> TableStateCodec.decode(table.properties()));
  }

  @Override
  public void close() {
    if (catalog instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
