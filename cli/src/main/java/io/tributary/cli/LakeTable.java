package io.tributary.cli;

import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.registry.CatalogSpec;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;

/** A table in the registry's catalog. */
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
    return new LakeTable(
        name, CatalogUtil.buildIcebergCatalog(spec.name(), properties, hadoop(properties)));
  }

  /** Hadoop's settings as the catalog uses them: its own properties, secrets included. */
  public static Configuration hadoop(Map<String, String> properties) {
    Configuration hadoop = new Configuration();
    properties.forEach(hadoop::set);
    return hadoop;
  }

  /** Finds the table for who looks at its metadata itself. */
  Supplier<TableOperations> operations() {
    return TableLedger.in(catalog, name);
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
