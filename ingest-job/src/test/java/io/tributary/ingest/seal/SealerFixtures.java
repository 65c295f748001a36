package io.tributary.ingest.seal;

import io.tributary.ingest.source.SourceMark;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Short words for the sealer's tests: group {@code g} reads two shards of server {@code db1}. */
final class SealerFixtures {
  static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  static final TableName TABLE = new TableName("shop.orders");
  static final TableUuid UUID_OF_TABLE = new TableUuid(new UUID(1, 2));
  static final GroupName GROUP = new GroupName("g");
  static final ServerName SERVER = new ServerName("db1");
  static final SourceId SOURCE = new SourceId("source-db1");
  static final ShardId SHARD_1 = new ShardId(1);
  static final ShardId SHARD_2 = new ShardId(2);
  static final TableLayout LAYOUT = new TableLayout(UUID_OF_TABLE, 0, 0, 2);

  private SealerFixtures() {}

  static Submission submission(long incarnation) {
    return submission(
        incarnation, List.of(new SourcePlan(SOURCE, SERVER, List.of(SHARD_1, SHARD_2))));
  }

  static Submission submission(long incarnation, List<SourcePlan> sources) {
    return new Submission(
        TABLE,
        GROUP,
        new Incarnation(incarnation),
        new SubmissionId(new UUID(7, incarnation)),
        sources,
        new TreeMap<>(Map.of(SHARD_1, 100L)),
        3);
  }

  /** The table when it answered a submission that starts anew, nothing committed yet. */
  static TableState newTable(Submission submission) {
    return table(
        submission,
        HelloAnswer.START_FROM_TABLE,
        new Epoch(0),
        new Epoch(0),
        ChainHash.first(UUID_OF_TABLE, GROUP),
        Map.of(),
        Optional.empty());
  }

  static TableState table(
      Submission submission,
      HelloAnswer answer,
      Epoch continuedFrom,
      Epoch committed,
      ChainHash chain,
      Map<ShardId, ShardState> shards,
      Optional<SourcePosition> position) {
    TreeMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    position.ifPresent(at -> sources.put(new SourceKey(GROUP, SERVER), at));
    return new TableState(
        UUID_OF_TABLE,
        new RoundNumber(5),
        new Term(1),
        new OwnerId(new UUID(8, 8)),
        new PlanId(new UUID(9, 9)),
        3,
        11,
        Optional.empty(),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        NOW,
        new TreeMap<>(
            Map.of(
                GROUP,
                new GroupState(
                    submission.incarnation(),
                    submission.id(),
                    10,
                    answer,
                    continuedFrom,
                    committed,
                    chain,
                    answer == HelloAnswer.REFUSED
                        ? Optional.of(
                            new Halt(io.tributary.protocol.HaltCode.REWOUND, "it was rewound", NOW))
                        : Optional.empty()))),
        new TreeMap<>(shards),
        sources);
  }

  static SourceMark mark(Optional<SourcePosition> position, Optional<Watermark> watermark) {
    return new SourceMark(SERVER, position, watermark, Map.of());
  }

  static SourceMark reached(long position, Instant watermark) {
    return mark(
        Optional.of(SourcePosition.of("binlog.000001", position)),
        Optional.of(new Watermark(watermark)));
  }

  /** A writer that appended copied rows of shard 1. */
  static WriterResult copied(long checkpointId, int subtask, long rows) {
    return new WriterResult(
        checkpointId,
        subtask,
        LAYOUT,
        Optional.of(files(checkpointId, subtask, "copied", rows, 0)),
        Optional.empty(),
        new TreeMap<>(Map.of(SHARD_1, rows)));
  }

  /** A writer that wrote changes. */
  static WriterResult changed(long checkpointId, int subtask, long rows) {
    return new WriterResult(
        checkpointId,
        subtask,
        LAYOUT,
        Optional.empty(),
        Optional.of(files(checkpointId, subtask, "changed", rows, rows)),
        new TreeMap<>());
  }

  static WriterResult copiedAndChanged(long checkpointId, int subtask, long copied, long changed) {
    return new WriterResult(
        checkpointId,
        subtask,
        LAYOUT,
        copied(checkpointId, subtask, copied).appended(),
        changed(checkpointId, subtask, changed).changed(),
        new TreeMap<>(Map.of(SHARD_1, copied)));
  }

  private static WrittenFiles files(
      long checkpointId, int subtask, String kind, long rows, long deletes) {
    String text = kind + "/" + checkpointId + "/" + subtask;
    return new WrittenFiles(
        List.of(
            CommittableManifest.Inline.of(
                ManifestContent.DATA, text.getBytes(StandardCharsets.UTF_8))),
        new FileCounts(1, rows, deletes > 0 ? 1 : 0, deletes, 0, 0, 1000));
  }

  /** What the manifests of a slice say, such as {@code copied/4/0}. */
  static List<String> contents(io.tributary.protocol.Slice slice) {
    return slice.manifests().stream()
        .map(
            manifest ->
                new String(((CommittableManifest.Inline) manifest).bytes(), StandardCharsets.UTF_8))
        .toList();
  }
}
