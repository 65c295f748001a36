package io.tributary.protocol;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Messages of any shape that the constructors allow; the same seed gives the same ones. */
final class RandomMessages {
  private static final String TEXT = "aZ09 _-.,:;\"'\\/{}[]\n\t\u0001é한😀";
  private static final long SAFE = 1L << 53;

  private final Random random;

  RandomMessages(Random random) {
    this.random = random;
  }

  /** A fresh seed, or the one of the property {@code tributary.test.seed}; printed for a replay. */
  static long seed(String test) {
    long seed = Long.getLong("tributary.test.seed", System.nanoTime());
    System.out.println(test + ": replay with -Dtributary.test.seed=" + seed);
    return seed;
  }

  ControlMessage controlMessage() {
    return switch (random.nextInt(3)) {
      case 0 -> hello();
      case 1 -> committable();
      default -> schemaRequest();
    };
  }

  SchemaRequest schemaRequest() {
    List<RequestedColumn> columns = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      columns.add(new RequestedColumn(i + text(), "decimal(" + i + ", 0)"));
    }
    return new SchemaRequest(
        table(),
        new TableUuid(Samples.uuid(random)),
        group(),
        new Incarnation(1 + natural()),
        new SubmissionId(Samples.uuid(random)),
        new ShardId(random.nextInt(1_000)),
        columns,
        position(),
        instant());
  }

  Hello hello() {
    return new Hello(
        table(),
        group(),
        new Incarnation(1 + natural()),
        new SubmissionId(Samples.uuid(random)),
        maybe() ? Optional.of(new Continuation(new Epoch(natural()), chain())) : Optional.empty(),
        new TableProposal(text(), text(), text(), 1 + random.nextInt(100)),
        List.copyOf(shardIds(1 + random.nextInt(50))),
        natural(),
        instant());
  }

  Committable committable() {
    TableUuid uuid = new TableUuid(Samples.uuid(random));
    GroupName group = group();
    Epoch epoch = new Epoch(1 + natural());
    ChainHash previous = chain();
    List<Slice> slices = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      slices.add(slice());
    }
    List<ShardProgress> shards = new ArrayList<>();
    for (ShardId shard : shardIds(random.nextInt(20))) {
      ShardPhase phase = phase();
      shards.add(
          new ShardProgress(
              shard,
              server(),
              phase,
              phase == ShardPhase.ACTIVE || maybe() ? Optional.of(watermark()) : Optional.empty(),
              natural(),
              natural(),
              phase == ShardPhase.HALTED ? Optional.of(text()) : Optional.empty(),
              columns()));
    }
    List<SourceProgress> sources = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      sources.add(
          new SourceProgress(
              new ServerName("server-" + i), maybe() ? Optional.of(position()) : Optional.empty()));
    }
    return new Committable(
        table(),
        uuid,
        group,
        new Incarnation(1 + natural()),
        new SubmissionId(Samples.uuid(random)),
        epoch,
        previous,
        ChainHash.of(uuid, group, epoch, previous, slices, shards, sources),
        random.nextInt(1_000),
        random.nextInt(1_000),
        1 + random.nextInt(3),
        natural(),
        random.nextLong(),
        instant(),
        slices,
        shards,
        sources);
  }

  private ColumnDifferences columns() {
    if (maybe()) {
      return ColumnDifferences.NONE;
    }
    TreeMap<Integer, String> renamed = new TreeMap<>();
    TreeSet<Integer> dropped = new TreeSet<>();
    TreeSet<Integer> unfilled = new TreeSet<>();
    for (int field = 1 + random.nextInt(5); field < 12; field += 1 + random.nextInt(4)) {
      if (maybe()) {
        dropped.add(field);
      } else {
        renamed.put(field, "c" + text());
      }
      if (maybe()) {
        unfilled.add(field);
      }
    }
    return new ColumnDifferences(renamed, dropped, unfilled);
  }

  TableState tableState() {
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      groups.put(
          group(),
          new GroupState(
              new Incarnation(1 + natural()),
              new SubmissionId(Samples.uuid(random)),
              natural(),
              HelloAnswer.values()[random.nextInt(HelloAnswer.values().length)],
              new Epoch(natural()),
              new Epoch(natural()),
              chain(),
              maybe()
                  ? Optional.of(
                      new Halt(
                          HaltCode.values()[random.nextInt(HaltCode.values().length)],
                          text(),
                          instant()))
                  : Optional.empty()));
    }
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    for (ShardId shard : shardIds(random.nextInt(100))) {
      ShardPhase phase = phase();
      shards.put(
          shard,
          new ShardState(
              group(),
              server(),
              phase,
              phase == ShardPhase.ACTIVE || maybe() ? Optional.of(watermark()) : Optional.empty(),
              maybe(),
              maybe(),
              natural(),
              natural(),
              maybe() ? Optional.of(text()) : Optional.empty(),
              columns()));
    }
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      sources.put(new SourceKey(group(), server()), position());
    }
    return new TableState(
        new TableUuid(Samples.uuid(random)),
        new RoundNumber(1 + natural()),
        new Term(1 + natural()),
        new OwnerId(Samples.uuid(random)),
        new PlanId(Samples.uuid(random)),
        natural(),
        natural(),
        maybe() ? Optional.of(watermark()) : Optional.empty(),
        maybe() ? Optional.of(snapshot()) : Optional.empty(),
        maybe(),
        counts(),
        counts(),
        instant(),
        groups,
        shards,
        sources,
        maybe() ? Optional.of(acceptance()) : Optional.empty());
  }

  private Acceptance acceptance() {
    long announced = natural();
    return new Acceptance(
        new RoundNumber(announced + 1),
        instant(),
        "by " + text(),
        maybe()
            ? Optional.of(
                new Acceptance.Announced(
                    new TableUuid(Samples.uuid(random)),
                    new RoundNumber(announced),
                    new Term(1 + natural())))
            : Optional.empty(),
        maybe() ? Optional.of(watermark()) : Optional.empty());
  }

  CommitStatus commitStatus() {
    return CommitStatus.of(table(), tableState());
  }

  private Slice slice() {
    List<CommittableManifest> manifests = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      ManifestContent content = maybe() ? ManifestContent.DATA : ManifestContent.DELETES;
      byte[] bytes = new byte[1 + random.nextInt(200)];
      random.nextBytes(bytes);
      CommittableManifest inline = CommittableManifest.Inline.of(content, bytes);
      manifests.add(
          maybe()
              ? inline
              : new CommittableManifest.Stored(content, text(), 1 + natural(), inline.sha256()));
    }
    return new Slice(
        new TreeSet<>(shardIds(manifests.isEmpty() ? 1 + random.nextInt(3) : random.nextInt(4))),
        manifests,
        manifests.isEmpty() ? FileCounts.NONE : counts().plus(new FileCounts(1, 1, 0, 0, 0, 0, 1)));
  }

  private TreeSet<ShardId> shardIds(int count) {
    TreeSet<ShardId> shards = new TreeSet<>();
    while (shards.size() < count) {
      shards.add(new ShardId(random.nextInt(maybe() ? 200 : Integer.MAX_VALUE)));
    }
    return shards;
  }

  private SourcePosition position() {
    return new SourcePosition(
        "bin." + random.nextInt(1_000_000),
        natural(),
        maybe() ? Optional.of(text()) : Optional.empty(),
        natural(),
        natural(),
        maybe() ? Optional.of(text()) : Optional.empty());
  }

  private IcebergSnapshot snapshot() {
    return new IcebergSnapshot(
        random.nextLong() & Long.MAX_VALUE,
        maybe() ? OptionalLong.of(random.nextLong() & Long.MAX_VALUE) : OptionalLong.empty(),
        1 + natural());
  }

  private FileCounts counts() {
    return new FileCounts(
        random.nextInt(100),
        natural(),
        random.nextInt(100),
        natural(),
        random.nextInt(100),
        natural(),
        natural());
  }

  private TableName table() {
    return new TableName("n" + random.nextInt(10) + ".T_" + random.nextInt(10));
  }

  private GroupName group() {
    return new GroupName("group-" + random.nextInt(1_000));
  }

  private ServerName server() {
    return new ServerName("db." + random.nextInt(1_000));
  }

  private ShardPhase phase() {
    return ShardPhase.values()[random.nextInt(ShardPhase.values().length)];
  }

  private ChainHash chain() {
    return ChainHash.first(new TableUuid(Samples.uuid(random)), group());
  }

  private Watermark watermark() {
    return new Watermark(instant());
  }

  /** From 1970 to 2149, sometimes a full second. */
  private Instant instant() {
    return Instant.ofEpochSecond(
        random.nextInt() & 0xffffffffL, maybe() ? 0 : random.nextInt(1_000_000_000));
  }

  private long natural() {
    return maybe() ? random.nextInt(10) : random.nextLong(SAFE - 1);
  }

  private boolean maybe() {
    return random.nextBoolean();
  }

  private String text() {
    int[] alphabet = TEXT.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
    }
    return text.toString();
  }
}
