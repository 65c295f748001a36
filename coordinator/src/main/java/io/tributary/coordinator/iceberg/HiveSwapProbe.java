package io.tributary.coordinator.iceberg;

import io.tributary.protocol.TableName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.IMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.NoSuchObjectException;
import org.apache.hadoop.hive.metastore.api.SerDeInfo;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.api.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hive.HiveClientPool;
import org.apache.iceberg.hive.MetastoreUtil;
import org.apache.thrift.TException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a Hive metastore compares before it replaces. One that is too old for that
 * (before 2.3.10, or 3.x) takes Iceberg's request, leaves the comparison out and answers that all
 * is well: two coordinators would then overwrite each other without ever noticing. Tried on a
 * scratch table without data, which is dropped again.
 */
public final class HiveSwapProbe {
  private static final Logger LOG = LoggerFactory.getLogger(HiveSwapProbe.class);
  private static final String MARK = "tributary.probe";
  private static final String CHANGED = "second";

  private final Configuration configuration;
  private final TableName table;

  /**
   * @param configuration as the catalog uses it, with {@code hive.metastore.uris}
   */
  public HiveSwapProbe(Configuration configuration, TableName table) {
    this.configuration = configuration;
    this.table = table;
  }

  /**
   * @return why the metastore cannot be used; absent when it compares, or when it does not let us
   *     try, which is logged
   * @throws IllegalStateException when it does not answer: try again later
   */
  public Optional<String> problem() {
    try (HiveClientPool pool = new HiveClientPool(1, configuration)) {
      return pool.run(this::probe);
    } catch (MetaException | NoSuchObjectException e) {
      LOG.warn(
          "Cannot try out whether the metastore of table {} compares before it replaces: {}. It must: without that two coordinators overwrite each other.",
          table,
          e.getMessage());
      return Optional.empty();
    } catch (TException | RuntimeException e) {
      throw new IllegalStateException("the metastore does not answer: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private Optional<String> probe(IMetaStoreClient metastore) throws TException {
    Database database = database(metastore);
    String name = "tributary_probe_" + UUID.randomUUID().toString().replace("-", "");
    metastore.createTable(scratch(database, name));
    try {
      return compare(metastore, database.getName(), name);
    } finally {
      metastore.dropTable(database.getName(), name, false, true);
    }
  }

  private Optional<String> compare(IMetaStoreClient metastore, String database, String name)
      throws TException {
    Table next = metastore.getTable(database, name);
    next.getParameters().put(MARK, CHANGED);
    try {
      MetastoreUtil.alterTable(metastore, database, name, next, expecting("another"));
      return Optional.of(
          "Cannot coordinate table %s: expected a Hive metastore that compares before it replaces, found one that took a change of a table it should have refused; two coordinators, or one and another engine, would overwrite each other's commits. Use Hive 2.3.10, 4.0 or later."
              .formatted(table));
    } catch (MetaException e) {
      LOG.debug("The metastore compares: {}", e.getMessage());
    }
    try {
      MetastoreUtil.alterTable(metastore, database, name, next, expecting("first"));
      return Optional.empty();
    } catch (MetaException e) {
      // The client sends a request again whose answer it did not get in time: the first of them did
      // it, and the second no longer finds what it expects.
      if (CHANGED.equals(metastore.getTable(database, name).getParameters().get(MARK))) {
        return Optional.empty();
      }
      return Optional.of(
          "Cannot coordinate table %s: expected a Hive metastore that takes a compared change, found: %s; it needs hive.metastore.try.direct.sql=true"
              .formatted(table, e.getMessage()));
    }
  }

  private static Map<String, String> expecting(String value) {
    return Map.of("expected_parameter_key", MARK, "expected_parameter_value", value);
  }

  private Database database(IMetaStoreClient metastore) throws TException {
    try {
      return metastore.getDatabase(TableIdentifier.parse(table.value()).namespace().toString());
    } catch (NoSuchObjectException e) {
      return metastore.getDatabase("default");
    }
  }

  private static Table scratch(Database database, String name) {
    StorageDescriptor storage = new StorageDescriptor();
    storage.setCols(List.of());
    storage.setLocation(database.getLocationUri());
    storage.setInputFormat("org.apache.hadoop.mapred.FileInputFormat");
    storage.setOutputFormat("org.apache.hadoop.mapred.FileOutputFormat");
    SerDeInfo serde = new SerDeInfo();
    serde.setSerializationLib("org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe");
    storage.setSerdeInfo(serde);
    Table scratch = new Table();
    scratch.setDbName(database.getName());
    scratch.setTableName(name);
    scratch.setOwner("tributary");
    scratch.setTableType("EXTERNAL_TABLE");
    scratch.setSd(storage);
    scratch.setPartitionKeys(List.of());
    scratch.putToParameters("EXTERNAL", "TRUE");
    scratch.putToParameters(MARK, "first");
    return scratch;
  }
}
