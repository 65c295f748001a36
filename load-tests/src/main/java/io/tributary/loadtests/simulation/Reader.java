package io.tributary.loadtests.simulation;

import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.source.SourceMark;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.Watermark;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A source of a job: copies its shards chunk by chunk, then passes the changes on that its chunks
 * do not hold already; probes the server for its watermark.
 */
final class Reader {
  private static final int CHUNKS = 2;
  private static final int KEYS_OF_A_CHUNK = Server.KEYS / CHUNKS;

  /** Takes rows. */
  interface Output {
    void copied(ShardId shard, int key, long value);

    void changed(ShardId shard, int key, long value);
  }

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
      Optional<String> fault) {}

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
  private Optional<String> fault = Optional.empty();

  Reader(SourcePlan plan, Server server, SubmissionId submission) {
    this.plan = plan;
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
    fault = state.fault();
  }

  State state() {
    return new State(
        started,
        started ? Optional.of(submission) : Optional.empty(),
        chunks,
        List.of(chunkPositions[0], chunkPositions[1]),
        index,
        watermark,
        fault);
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
    fault = Optional.of(why);
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
    return isWhole() && watermark >= 0 && index == server.size();
  }

  void read(long now, int atMost, Output output) {
    if (!started) {
      return;
    }
    if (chunks < CHUNKS) {
      copyChunk(output);
      return;
    }
    probes.add(new Probe(now, server.size()));
    int until = index + Math.min(server.size() - index, atMost);
    while (index < until) {
      Server.Change change = server.at(index);
      boolean lost = fault.isPresent() && change.shard().equals(plan.shards().get(0));
      if (!lost
          && plan.shards().contains(change.shard())
          && index >= chunkPositions[change.key() / KEYS_OF_A_CHUNK]) {
        output.changed(change.shard(), change.key(), change.value());
      }
      index++;
    }
    while (!probes.isEmpty() && probes.peek().position() <= index) {
      watermark = probes.remove().at();
    }
  }

  private void copyChunk(Output output) {
    chunkPositions[chunks] = server.size();
    for (ShardId shard : plan.shards()) {
      long[] rows = server.rows(shard, server.size());
      for (int key = chunks * KEYS_OF_A_CHUNK; key < (chunks + 1) * KEYS_OF_A_CHUNK; key++) {
        if (rows[key] != 0) {
          output.copied(shard, key, rows[key]);
        }
      }
    }
    chunks++;
    if (chunks == CHUNKS) {
      index = Math.min(chunkPositions[0], chunkPositions[1]);
    }
  }

  SourceMark mark() {
    boolean whole = isWhole();
    return new SourceMark(
        server.name(),
        whole ? Optional.of(SourcePosition.of("bin.000001", index)) : Optional.empty(),
        whole && watermark >= 0
            ? Optional.of(new Watermark(Timeline.instantOf(watermark)))
            : Optional.empty(),
        fault.map(why -> Map.of(plan.shards().get(0), why)).orElse(Map.of()));
  }
}
