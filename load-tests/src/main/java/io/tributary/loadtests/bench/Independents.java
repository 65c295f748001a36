package io.tributary.loadtests.bench;

import io.tributary.localstack.StackEndpoints;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.hive.HiveCatalog;

/**
 * Committers that know nothing of each other, as Flink's own Iceberg sinks on one table: each with
 * a client of its own, one {@link RowDelta} per checkpoint, retried by Iceberg.
 */
final class Independents implements AutoCloseable {
  /** What an operator of many sinks sets; all else is as Iceberg has it. */
  static final Map<String, String> PROPERTIES =
      Map.of(
          "format-version",
          "2",
          "commit.retry.num-retries",
          "60",
          // Kinder to them than the default, and the same as on the other side.
          "engine.hive.lock-enabled",
          "false");

  private final TableIdentifier identifier;
  private final int buckets;
  private final List<HiveCatalog> catalogs = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final BenchFiles files;
  private final ExecutorService threads;

  Independents(String name, StackEndpoints stack, int count, int buckets) throws IOException {
    this.identifier = TableIdentifier.of("bench", name);
    this.buckets = buckets;
    this.threads = Executors.newFixedThreadPool(count);
    HiveCatalog first = Catalogs.open(stack, name + "-0");
    try {
      first.createNamespace(Namespace.of("bench"));
    } catch (AlreadyExistsException e) {
      // Another table was first.
    }
    Schema schema = Catalogs.schema();
    first.createTable(identifier, schema, Catalogs.spec(schema, buckets), PROPERTIES);
    catalogs.add(first);
    for (int i = 1; i < count; i++) {
      catalogs.add(Catalogs.open(stack, name + "-" + i));
    }
    for (HiveCatalog catalog : catalogs) {
      tables.add(catalog.loadTable(identifier));
    }
    this.files = new BenchFiles(tables.get(0));
  }

  /**
   * A round: everybody commits once.
   *
   * @param wallMs until the last one was done, or the bound
   * @param commits each one's own duration in milliseconds
   * @param complete whether all were done within the bound
   * @param failed commits that gave up
   */
  record Round(double wallMs, List<Double> commits, boolean complete, int failed) {}

  /**
   * @param bound after which those that are not done are given up
   */
  Round round(Duration bound) throws IOException, InterruptedException {
    files.nextLinks();
    String prefix = UUID.randomUUID().toString();
    Queue<Double> commits = new ConcurrentLinkedQueue<>();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < tables.size(); i++) {
      Table table = tables.get(i);
      BenchFiles.Written written = files.write(prefix, i, buckets);
      tasks.add(
          () -> {
            long start = System.nanoTime();
            RowDelta delta = table.newRowDelta();
            written.data().forEach(delta::addRows);
            written.deletes().forEach(delta::addDeletes);
            delta.commit();
            commits.add((System.nanoTime() - start) / 1e6);
            return null;
          });
    }
    long start = System.nanoTime();
    List<Future<Void>> done = threads.invokeAll(tasks, bound.toMillis(), TimeUnit.MILLISECONDS);
    double wallMs = (System.nanoTime() - start) / 1e6;
    boolean complete = done.stream().noneMatch(Future::isCancelled);
    int failed = 0;
    for (Future<Void> one : done) {
      if (!one.isCancelled()) {
        try {
          one.get();
        } catch (ExecutionException e) {
          failed++;
        }
      }
    }
    return new Round(wallMs, List.copyOf(commits), complete, failed);
  }

  Table table() {
    return catalogs.get(0).loadTable(identifier);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    threads.shutdownNow();
    // Whoever was given up in the midst of an attempt ends it first.
    threads.awaitTermination(2, TimeUnit.MINUTES);
    catalogs.get(0).dropTable(identifier, false);
    for (HiveCatalog catalog : catalogs) {
      catalog.close();
    }
  }
}
