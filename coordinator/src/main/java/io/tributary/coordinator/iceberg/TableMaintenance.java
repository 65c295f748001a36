package io.tributary.coordinator.iceberg;

import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import java.time.Clock;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a table's metadata as large as its properties say, however long it lives: expires snapshots
 * and merges manifests. What takes long is done on threads of its own; what changes the table is
 * one swap of the ledger, made on the caller's thread between two rounds and checked like those. It
 * never delays a round by more than that swap, and whatever fails is left for the next time.
 *
 * <pre>
 *   resting --every 50 rounds--> preparing (a fresh look, manifests written)
 *           --ready--> swap --done--> files removed --> resting
 *                           --not sent--> written manifests removed --> resting
 *                           --unknown--> a later fresh look tells whether files may be removed
 * </pre>
 */
public final class TableMaintenance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableMaintenance.class);

  private static final int NOT_LOOKED = -1;

  /**
   * When it works, and what is too much.
   *
   * @param rounds how many rounds apart, at least 1; the work depends on rounds, not on time
   * @param mostSnapshots more than these are an alarm
   * @param mostManifests more than these in main's newest snapshot are an alarm
   */
  public record Limits(int rounds, int mostSnapshots, int mostManifests) {
    public static final Limits DEFAULT = new Limits(50, 10_000, 5_000);

    /**
     * @throws IllegalArgumentException when a limit is below 1
     */
    public Limits {
      if (rounds < 1 || mostSnapshots < 1 || mostManifests < 1) {
        throw new IllegalArgumentException(
            "Cannot maintain a table: expected limits of at least 1, found %d rounds, %d snapshots, %d manifests"
                .formatted(rounds, mostSnapshots, mostManifests));
      }
    }
  }

  /**
   * What a step came to.
   *
   * @param snapshots that the table has now; below 0 when nobody can say
   * @param manifests of main's newest snapshot, when they were last counted; below 0 when nobody
   *     can say
   * @param expired snapshots that this step took away
   * @param merged manifests that this step replaced
   * @param alarm what the operator must see, with the cure
   */
  public record Report(
      int snapshots, int manifests, int expired, int merged, Optional<String> alarm) {}

  /** A look at the table, and what was written for the next swap. */
  private record Prepared(TableMetadata seen, int manifests, MergedManifests merged) {}

  private final TableName name;
  private final TableLedger ledger;
  private final Supplier<TableOperations> loader;
  private final Clock clock;
  private final Limits limits;
  private final ExecutorService worker;
  private final ExecutorService planner;

  private Optional<Future<Prepared>> preparing = Optional.empty();
  private Optional<Future<?>> removing = Optional.empty();
  private Optional<MaintenanceOutcome.Unknown> unsettled = Optional.empty();
  private long lastTurn = -1;

  /**
   * @param ledger makes the swap, on the thread that calls {@link #step}
   * @param loader finds the table anew, for looks on another thread
   */
  public TableMaintenance(
      TableName name,
      TableLedger ledger,
      Supplier<TableOperations> loader,
      Clock clock,
      Limits limits) {
    this.name = name;
    this.ledger = ledger;
    this.loader = loader;
    this.clock = clock;
    this.limits = limits;
    this.worker = thread("maintenance");
    this.planner = thread("expiry");
  }

  private ExecutorService thread(String task) {
    return Executors.newSingleThreadExecutor(
        work -> {
          Thread made = new Thread(work, "tributary-" + task + "-" + name);
          made.setDaemon(true);
          return made;
        });
  }

  /**
   * Does what is due, if anything is. To be called between rounds, on the ledger's thread, while no
   * swap's outcome is open.
   *
   * @param held what the caller holds the table with
   * @return absent while there is nothing to tell
   */
  public Optional<Report> step(TableState held) {
    if (preparing.isEmpty()) {
      long turn = held.round().value() / limits.rounds();
      boolean due = turn != lastTurn && lastTurn >= 0 && removing.map(Future::isDone).orElse(true);
      if (due) {
        preparing = Optional.of(prepare());
      }
      if (due || lastTurn < 0) {
        lastTurn = turn;
      }
      return Optional.empty();
    }
    Future<Prepared> work = preparing.get();
    if (!work.isDone()) {
      return Optional.empty();
    }
    preparing = Optional.empty();
    try {
      return Optional.of(swap(held, work.get()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(failed(LedgerMetadata.describe(e.getCause())));
    } catch (RuntimeException e) {
      return Optional.of(failed(LedgerMetadata.describe(e)));
    }
  }

  private Report failed(String why) {
    return new Report(
        NOT_LOOKED,
        NOT_LOOKED,
        0,
        0,
        Optional.of(
            "Cannot maintain table %s: expected to expire snapshots and merge manifests, found %s; tried again after %d rounds; rounds go on, and the table grows meanwhile"
                .formatted(name, why, limits.rounds())));
  }

  private Future<Prepared> prepare() {
    Optional<MaintenanceOutcome.Unknown> open = unsettled;
    unsettled = Optional.empty();
    return worker.submit(
        () -> {
          TableOperations table = loader.get();
          TableMetadata seen = table.current();
          open.ifPresent(before -> settle(table, seen, before));
          Snapshot head = seen.currentSnapshot();
          return new Prepared(
              seen,
              head == null ? 0 : head.allManifests(table.io()).size(),
              ManifestMerger.merge(new FixedBase(table, seen), Retention.of(seen)));
        });
  }

  /** A table that has none of the snapshots any more certainly took the swap. */
  private void settle(
      TableOperations table, TableMetadata seen, MaintenanceOutcome.Unknown before) {
    Set<Long> removed = MaintenanceBuilder.removed(before.base(), before.next());
    if (seen.uuid().equals(before.base().uuid())
        && Collections.disjoint(MaintenanceBuilder.ids(seen), removed)) {
      remove(table, before.base(), before.next());
    } else {
      LOG.info(
          "The maintenance of table {} whose answer was lost is not in the table; its files stay for orphan cleanup",
          name);
    }
  }

  private Report swap(TableState held, Prepared prepared) {
    MaintenanceOutcome outcome =
        ledger.maintain(held, prepared.merged(), clock.instant().toEpochMilli());
    if (outcome instanceof MaintenanceOutcome.Done done) {
      int expired = MaintenanceBuilder.removed(done.base(), done.next()).size();
      boolean merged = done.next().currentSnapshot() != done.base().currentSnapshot();
      int replaced = merged ? prepared.merged().replaced().size() : 0;
      LOG.info(
          "Table {} maintained: {} snapshots expired, {} left; {} manifests merged into {}",
          name,
          expired,
          done.next().snapshots().size(),
          replaced,
          merged ? prepared.merged().written().size() : 0);
      if (expired > 0) {
        removing = Optional.of(worker.submit(() -> remove(loader.get(), done.base(), done.next())));
      }
      return report(done.next(), prepared, expired, replaced);
    }
    if (outcome instanceof MaintenanceOutcome.Nothing) {
      return report(prepared.seen(), prepared, 0, 0);
    }
    if (outcome instanceof MaintenanceOutcome.Unknown unknown) {
      unsettled = Optional.of(unknown);
      if (unknown.refused()) {
        // Another engine was first, as may happen to any swap; it says nothing about growth.
        LOG.info(
            "Table {} changed while it was maintained ({}); tried again after {} rounds",
            name,
            unknown.reason(),
            limits.rounds());
        return new Report(NOT_LOOKED, NOT_LOOKED, 0, 0, Optional.empty());
      }
      return failed("no answer to the swap: " + unknown.reason());
    }
    return failed(((MaintenanceOutcome.NotSent) outcome).reason());
  }

  private void remove(TableOperations table, TableMetadata base, TableMetadata next) {
    try {
      int files = ExpiredFiles.remove(table, base, next, clock.instant().toEpochMilli(), planner);
      LOG.info("Removed {} files of table {} that only expired snapshots needed", files, name);
    } catch (RuntimeException e) {
      LOG.warn(
          "Cannot remove all files of expired snapshots of table {}; what is left is for orphan cleanup",
          name,
          e);
    }
  }

  private Report report(TableMetadata now, Prepared prepared, int expired, int replaced) {
    int snapshots = now.snapshots().size();
    int manifests = prepared.manifests();
    if (replaced > 0) {
      manifests += prepared.merged().written().size() - replaced;
    }
    return new Report(snapshots, manifests, expired, replaced, alarm(now, snapshots, manifests));
  }

  private Optional<String> alarm(TableMetadata table, int snapshots, int manifests) {
    Retention retention = Retention.of(table);
    String cure =
        retention.expires()
            ? "lower history.expire.max-snapshot-age-ms (%d) or history.expire.min-snapshots-to-keep (%d), or drop branches and tags that hold old ones"
                .formatted(retention.snapshotAgeMs(), retention.snapshotsKept())
            : "set gc.enabled=true";
    if (snapshots > limits.mostSnapshots()) {
      return Optional.of(
          "Cannot keep table %s small: expected at most %d snapshots, found %d, which every commit reads and writes; cure: %s"
              .formatted(name, limits.mostSnapshots(), snapshots, cure));
    }
    if (manifests > limits.mostManifests()) {
      return Optional.of(
          "Cannot keep table %s small: expected at most %d manifests, found %d, which every data round lists; cure: compact the table's small files, or raise commit.manifest.target-size-bytes (%d)"
              .formatted(name, limits.mostManifests(), manifests, retention.manifestBytes()));
    }
    return Optional.empty();
  }

  /** Ends what it does; files that it was about to remove stay for orphan cleanup. */
  @Override
  public void close() {
    worker.shutdownNow();
    planner.shutdownNow();
  }
}
