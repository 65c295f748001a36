package io.tributary.cli.check;

import io.tributary.cli.LakeTable;
import io.tributary.coordinator.iceberg.HiveSwapProbe;
import io.tributary.protocol.TableName;
import io.tributary.registry.CatalogSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.hive.HiveClientPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the metastore and the warehouse. Makes a scratch table and a scratch file, and removes
 * both: whether a metastore compares before it replaces cannot be asked, only tried.
 */
final class LakeSurvey {
  private static final Logger LOG = LoggerFactory.getLogger(LakeSurvey.class);
  private static final String METASTORE = "metastore";
  private static final String WAREHOUSE = "warehouse";
  private static final String URIS = "hive.metastore.uris";
  private static final String COLUMN_CHANGES =
      "hive.metastore.disallow.incompatible.col.type.changes";

  private final CatalogSpec catalog;
  private final Configuration hadoop;
  private final List<Finding> findings = new ArrayList<>();

  private LakeSurvey(CatalogSpec catalog, Configuration hadoop) {
    this.catalog = catalog;
    this.hadoop = hadoop;
  }

  /**
   * @param tables of the registry, at least one
   */
  static List<Finding> look(CatalogSpec catalog, List<TableName> tables) {
    LakeSurvey survey = new LakeSurvey(catalog, LakeTable.hadoop(catalog.resolveProperties()));
    survey.hadoop.set(URIS, catalog.uri());
    // Short, where the operator has not said otherwise: somebody waits for the answer.
    survey.hadoop.setIfUnset("hive.metastore.client.socket.timeout", "20s");
    survey.hadoop.setIfUnset("hive.metastore.connect.retries", "1");
    survey.metastore(tables);
    survey.warehouse();
    return survey.findings;
  }

  private void metastore(List<TableName> tables) {
    try {
      new HiveSwapProbe(hadoop, tables.get(0))
          .problem()
          .ifPresent(
              problem ->
                  findings.add(
                      Finding.refusal(
                          "metastore-swap",
                          METASTORE + " " + catalog.uri(),
                          problem,
                          "the coordinator refuses the table: two of them would overwrite each"
                              + " other's commits",
                          "use Hive 2.3.10, 4.0 or later")));
      String strict = columnChangesRefused();
      if (Boolean.parseBoolean(strict)) {
        findings.add(
            Finding.warning(
                "metastore-column-changes",
                METASTORE + " " + catalog.uri(),
                COLUMN_CHANGES + "=true",
                "the metastore refuses changes of a table's columns that Iceberg allows, such as a"
                    + " column that is dropped",
                "set it to false in the metastore's own configuration"));
      }
    } catch (RuntimeException e) {
      findings.add(
          Finding.error(
              "metastore-unreachable",
              METASTORE + " " + catalog.uri(),
              Causes.of(e),
              "no table can be read or committed",
              "start it, or correct 'uri' of the catalog"));
    }
  }

  private String columnChangesRefused() {
    try (HiveClientPool pool = new HiveClientPool(1, hadoop)) {
      return pool.run(client -> client.getConfigValue(COLUMN_CHANGES, "true"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (org.apache.thrift.TException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private void warehouse() {
    Path root = new Path(catalog.warehouse());
    Path first = new Path(root, ".tributary-check-" + UUID.randomUUID());
    Path second = first.suffix("-renamed");
    String step = "opening it";
    FileSystem files = null;
    try {
      files = root.getFileSystem(hadoop);
      step = "writing a file";
      try (OutputStream out = files.create(first, false)) {
        out.write(1);
      }
      step = "renaming a file";
      if (!files.rename(first, second)) {
        throw new IOException("the file system says no");
      }
      step = "deleting a file";
      if (!files.delete(second, false)) {
        throw new IOException("the file system says no");
      }
    } catch (IOException | RuntimeException e) {
      findings.add(
          Finding.error(
              "warehouse",
              WAREHOUSE + " " + catalog.warehouse(),
              step + " failed: " + Causes.of(e),
              "no file of the tables can be written",
              "give the user of the jobs the right to write, rename and delete there, or correct"
                  + " 'warehouse' and the catalog's properties"));
      remove(files, first);
      remove(files, second);
    }
  }

  private static void remove(FileSystem files, Path path) {
    try {
      if (files != null) {
        files.delete(path, false);
      }
    } catch (IOException | RuntimeException e) {
      // What could not be written need not be removed; the failure is told already.
      LOG.debug("Cannot remove {}", path, e);
    }
  }
}
