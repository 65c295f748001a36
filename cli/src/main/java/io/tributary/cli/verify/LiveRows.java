package io.tributary.cli.verify;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.DeleteFilter;
import org.apache.iceberg.data.DeleteLoader;
import org.apache.iceberg.data.GenericDeleteFilter;
import org.apache.iceberg.data.IdentityPartitionConverters;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.PartitionUtil;

/**
 * Rows of one snapshot with its deletes applied, by Iceberg's own filter. Iceberg's generic reader
 * opens each delete file once for every data file that it applies to, which after n rounds is a
 * number that grows with the square of n; this one keeps what it has read until the scan is over.
 */
final class LiveRows {
  /** Takes a row; it may keep it. */
  @FunctionalInterface
  interface Taker {
    void take(Record row) throws IOException;
  }

  private final Table table;
  private final long snapshotId;

  LiveRows(Table table, long snapshotId) {
    this.table = table;
    this.snapshotId = snapshotId;
  }

  /**
   * Hands over each live row that a filter lets pass.
   *
   * @param projection the columns that are needed, those of the filter among them
   * @throws IOException when a file cannot be read
   */
  void forEach(Expression filter, Schema projection, Taker taker) throws IOException {
    TableScan scan = table.newScan().useSnapshot(snapshotId).filter(filter).project(projection);
    Map<String, Object> deletes = new ConcurrentHashMap<>();
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        DeleteFilter<Record> live = filter(task, projection, deletes);
        InternalRecordWrapper wrapped = new InternalRecordWrapper(live.requiredSchema().asStruct());
        Evaluator residual = new Evaluator(live.requiredSchema().asStruct(), task.residual(), true);
        try (CloseableIterable<Record> rows = live.filter(open(task, live.requiredSchema()))) {
          for (Record row : rows) {
            StructLike internal = wrapped.wrap(row);
            if (residual.eval(internal)) {
              taker.take(row);
            }
          }
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private DeleteFilter<Record> filter(
      FileScanTask task, Schema projection, Map<String, Object> deletes) {
    return new GenericDeleteFilter(table.io(), task, table.schema(), projection) {
      @Override
      protected DeleteLoader newDeleteLoader() {
        return new KeepingLoader(table, deletes);
      }
    };
  }

  /** Loads in Iceberg's pool of delete workers, several files at a time. */
  private static final class KeepingLoader extends BaseDeleteLoader {
    private final Map<String, Object> kept;

    KeepingLoader(Table table, Map<String, Object> kept) {
      super(file -> table.io().newInputFile(file));
      this.kept = kept;
    }

    @Override
    protected boolean canCache(long size) {
      return true;
    }

    @Override
    @SuppressWarnings("unchecked") // A key always names values of one type.
    protected <V> V getOrLoad(String key, Supplier<V> load, long size) {
      return (V) kept.computeIfAbsent(key, absent -> load.get());
    }
  }

  private CloseableIterable<Record> open(FileScanTask task, Schema schema) {
    ReadBuilder<Record, Object> builder =
        FormatModelRegistry.readBuilder(
            task.file().format(), Record.class, table.io().newInputFile(task.file()));
    return builder
        .project(schema)
        .idToConstant(
            PartitionUtil.constantsMap(task, IdentityPartitionConverters::convertConstant))
        .split(task.start(), task.length())
        .filter(task.residual())
        .build();
  }
}
