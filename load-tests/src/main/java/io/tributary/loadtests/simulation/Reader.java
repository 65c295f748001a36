package io.tributary.loadtests.simulation;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.ShardFit;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.source.ColumnsVerdict;
import io.tributary.ingest.source.Emptied;
import io.tributary.ingest.source.SchemaWish;
import io.tributary.ingest.source.SourceMark;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.Watermark;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.Schema;

/**
 * A source of a job: copies its shards chunk by chunk, then passes the changes on that its chunks
 * do not hold already; probes the server for its watermark. It is held behind each statement that
 * alters one of its shards, and wherever it begins, until the table has the columns, as the product
 * decides. Behind a statement that empties one of its shards it passes nothing on before the next
 * barrier.
 */
final class Reader {
  private static final int CHUNKS = 2;
  private static final int KEYS_OF_A_CHUNK = Server.KEYS / CHUNKS;

  /** Takes rows. */
  interface Output {
    void copied(Row row);

    void changed(Row row);
  }

  /**
   * A row passed on.
   *
   * @param value 0 where the row is deleted
   * @param columns those that statements gave its shard before it
   * @param schema the table's when its source was let on
   */
  record Row(ShardId shard, int key, long value, Map<String, ColumnType> columns, Schema schema) {}

  /**
   * What Flink's state holds of it.
   *
   * @param by the submission that began it or went on with it
   * @param chunks how many chunks are copied; with all of them the changes flow
   * @param chunkPositions where the server stood when each was copied
   * @param index changes before it are passed on
   * @param watermark -1 before the first probe is passed
   */
  record State(
      boolean started,
      Optional<SubmissionId> by,
      int chunks,
      List<Integer> chunkPositions,
      int index,
      long watermark,
      Map<ShardId, String> faults) {}

  private record Probe(long at, int position) {}

  private final SourcePlan plan;
  private final Server server;
  private final SubmissionId submission;
  private final int[] chunkPositions = new int[CHUNKS];
  private final Deque<Probe> probes = new ArrayDeque<>();
  private boolean started;
  private int chunks;
  private int index;
  private long watermark = -1;
  private final Map<ShardId, String> faults = new TreeMap<>();

  /** What statements emptied since the last barrier. */
  private final SortedSet<ShardId> emptied = new TreeSet<>();

  private final Set<SealerProtection> protections;

  /** The table's schema that it reads with; null while it is held. */
  private Schema schema;

  private List<SchemaWish> wishes = List.of();

  Reader(
      SourcePlan plan, Server server, SubmissionId submission, Set<SealerProtection> protections) {
    this.plan = plan;
    this.protections = protections;
    this.server = server;
    this.submission = submission;
  }

  SourceId id() {
    return plan.source();
  }

  SourcePlan plan() {
    return plan;
  }

  boolean isStarted() {
    return started;
  }

  void restore(State state) {
    started = state.started();
    chunks = state.chunks();
    for (int i = 0; i < CHUNKS; i++) {
      chunkPositions[i] = state.chunkPositions().get(i);
    }
    index = state.index();
    watermark = state.watermark();
    faults.putAll(state.faults());
  }

  State state() {
    return new State(
        started,
        started ? Optional.of(submission) : Optional.empty(),
        chunks,
        List.of(chunkPositions[0], chunkPositions[1]),
        index,
        watermark,
        Map.copyOf(faults));
  }

  void startCopy() {
    started = true;
  }

  void startFrom(long position) {
    started = true;
    chunks = CHUNKS;
    index = (int) position;
  }

  /** The first shard's changes cannot be read on; those of the others can. */
  void fail(String why) {
    faults.put(plan.shards().get(0), why);
  }

  /** Whether the copy is whole and the changes made meanwhile are passed on. */
  boolean isWhole() {
    return chunks == CHUNKS && index >= Math.max(chunkPositions[0], chunkPositions[1]);
  }

  int index() {
    return index;
  }

  /** Whether it has passed everything on, and a probe has told so. */
  boolean isAtEnd() {
    return isWhole()
        && schema != null
        && watermark >= 0
        && index == server.size()
        && emptied.isEmpty();
  }

  /** Whether it waits for columns. */
  boolean isHeld() {
    return !wishes.isEmpty();
  }

  /**
   * @param table its own, when the catalog shows it now
   * @return how many statements that empty a shard it came to
   */
  int read(long now, int atMost, Optional<TableSchemas> table, Output output) {
    int truncated = 0;
    if (!started) {
      return truncated;
    }
    boolean open = schema != null || open(table);
    if (chunks < CHUNKS) {
      if (open) {
        copyChunk(output);
      }
      return truncated;
    }
    probes.add(new Probe(now, server.size()));
    boolean held = !emptied.isEmpty() && protections.contains(SealerProtection.HOLD_UNTIL_BARRIER);
    int until = open && !held ? index + Math.min(server.size() - index, atMost) : index;
    while (index < until) {
      Server.Change change = server.at(index);
      boolean read = plan.shards().contains(change.shard()) && !isLost(change.shard());
      if (read && change.isTruncated()) {
        index++;
        truncated++;
        if (isWhole()) {
          emptied.add(change.shard());
        } else {
          // Some chunks may be from before it and some from behind it.
          faults.put(change.shard(), "emptied while it was copied");
        }
        if (protections.contains(SealerProtection.HOLD_UNTIL_BARRIER)) {
          break;
        }
        continue;
      }
      if (read && change.isAltered()) {
        // What lies behind it is read anew, with other columns.
        index++;
        schema = null;
        break;
      }
      if (read && index >= chunkPositions[change.key() / KEYS_OF_A_CHUNK]) {
        output.changed(row(change.shard(), change.key(), change.value(), index));
      }
      index++;
    }
    while (!probes.isEmpty() && probes.peek().position() <= index) {
      watermark = probes.remove().at();
    }
    return truncated;
  }

  private boolean isLost(ShardId shard) {
    return faults.containsKey(shard);
  }

  private Row row(ShardId shard, int key, long value, int position) {
    return new Row(shard, key, value, server.columns(shard, position), schema);
  }

  /** Looks whether the table has the columns of all shards as they are at its place. */
  private boolean open(Optional<TableSchemas> table) {
    if (table.isEmpty()) {
      return false;
    }
    Schema found = table.get().current();
    int place = chunks < CHUNKS ? server.size() : index;
    Map<ShardId, ShardFit> fits = new LinkedHashMap<>();
    for (ShardId shard : plan.shards()) {
      if (chunks < CHUNKS || !isLost(shard)) {
        fits.put(shard, ShardFit.of(server.layout(shard, place), IcebergColumns.of(found)));
      }
    }
    ColumnsVerdict verdict = ColumnsVerdict.of(fits, position(place), protections);
    if (verdict instanceof ColumnsVerdict.Lacking lacking) {
      wishes = lacking.wishes();
      return false;
    }
    wishes = List.of();
    schema = found;
    return true;
  }

  private static SourcePosition position(int index) {
    return SourcePosition.of("bin.000001", index);
  }

  private void copyChunk(Output output) {
    chunkPositions[chunks] = server.size();
    for (ShardId shard : plan.shards()) {
      long[] rows = server.rows(shard, server.size());
      for (int key = chunks * KEYS_OF_A_CHUNK; key < (chunks + 1) * KEYS_OF_A_CHUNK; key++) {
        if (rows[key] != 0) {
          output.copied(row(shard, key, rows[key], server.size()));
        }
      }
    }
    chunks++;
    schema = null;
    if (chunks == CHUNKS) {
      index = Math.min(chunkPositions[0], chunkPositions[1]);
    }
  }

  /** What it waits for. */
  List<SchemaWish> wishes() {
    return wishes;
  }

  /** Where it stands at a checkpoint's barrier, behind which it may read on. */
  SourceMark atBarrier(long checkpoint) {
    boolean whole = isWhole();
    SourceMark mark =
        new SourceMark(
            server.name(),
            whole ? Optional.of(position(index)) : Optional.empty(),
            whole && watermark >= 0
                ? Optional.of(new Watermark(Timeline.instantOf(watermark)))
                : Optional.empty(),
            faults,
            wishes);
    if (emptied.isEmpty()) {
      return mark;
    }
    Emptied shards = new Emptied(checkpoint, emptied);
    emptied.clear();
    return mark.withEmptied(shards);
  }
}
