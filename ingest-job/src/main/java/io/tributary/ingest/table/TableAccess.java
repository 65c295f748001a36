package io.tributary.ingest.table;

import io.tributary.protocol.TableName;
import io.tributary.registry.PassThroughProperties;
import java.io.Serializable;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * How to reach one table. It travels in the job graph: secrets are references, read when a
 * connection is opened.
 *
 * @param catalogName the catalog's name
 * @param catalogType Iceberg's word for the kind of catalog
 * @param properties Iceberg catalog and Hadoop properties under their own names, address and
 *     warehouse included
 * @param table the table
 */
public record TableAccess(
    String catalogName, String catalogType, PassThroughProperties properties, TableName table)
    implements Serializable {
  public TableAccess {
    Objects.requireNonNull(catalogName, "catalogName");
    Objects.requireNonNull(catalogType, "catalogType");
    Objects.requireNonNull(properties, "properties");
    Objects.requireNonNull(table, "table");
  }

  TableIdentifier identifier() {
    return TableIdentifier.parse(table.value());
  }

  /** A catalog of its own; whoever opens it closes it. */
  Catalog openCatalog() {
    Map<String, String> resolved = properties.resolve();
    resolved.put(CatalogUtil.ICEBERG_CATALOG_TYPE, catalogType);
    Configuration hadoop = new Configuration();
    resolved.forEach(hadoop::set);
    return CatalogUtil.buildIcebergCatalog(catalogName, resolved, hadoop);
  }
}
