package io.tributary.registry;

import java.util.Map;
import java.util.Objects;

/**
 * The Iceberg catalog that holds the tables.
 *
 * @param name the catalog's name in Flink and in Iceberg's metrics
 * @param type kind of catalog
 * @param uri address of the catalog service, {@code thrift://host:port} for Hive
 * @param warehouse root folder of the tables' files
 * @param properties Iceberg catalog and Hadoop properties under their own names
 */
public record CatalogSpec(
    String name, CatalogType type, String uri, String warehouse, PassThroughProperties properties) {
  /** Name of a catalog that the registry does not name. */
  public static final String DEFAULT_NAME = "tributary";

  public CatalogSpec {
    Checks.text("catalog name", name);
    Objects.requireNonNull(type, "type");
    Checks.text("catalog uri", uri);
    Checks.text("catalog warehouse", warehouse);
    Objects.requireNonNull(properties, "properties");
  }

  /**
   * What Iceberg's catalog is made with: the passed-through properties, {@code uri} and {@code
   * warehouse}; secrets are read now.
   *
   * @throws SecretUnavailableException when a secret cannot be read
   */
  public Map<String, String> resolveProperties() {
    Map<String, String> resolved = properties.resolve();
    resolved.put("uri", uri);
    resolved.put("warehouse", warehouse);
    return resolved;
  }
}
