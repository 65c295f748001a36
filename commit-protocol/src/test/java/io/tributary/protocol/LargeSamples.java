package io.tributary.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** A table of 1,024 shards: 16 groups, 64 servers, each read by one group, with GTID sets. */
final class LargeSamples {
  static final int SHARDS = 1_024;
  static final int SERVERS = 64;
  static final int GROUPS = 16;

  private LargeSamples() {}

  static GroupName group(int shard) {
    return new GroupName("products-group-%02d".formatted(shard * GROUPS / SHARDS));
  }

  static ServerName server(int shard) {
    return new ServerName("mysql-%03d".formatted(shard * SERVERS / SHARDS));
  }

  /** Three servers of the past in each set, as after two failovers. */
  static SourcePosition position(int server) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      parts.add(
          new UUID(0x3e11fa4771ca11e1L + server, 0x9e33c80aa9429562L + i) + ":1-" + 987_654_321);
    }
    return new SourcePosition(
        "mysql-bin.%06d".formatted(server),
        1_073_741_824,
        Optional.of(String.join(",", parts)),
        0,
        0);
  }

  static TableState state() {
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    for (int i = 0; i < SHARDS; i++) {
      groups.put(
          group(i),
          new GroupState(
              new Incarnation(12),
              Samples.SUBMISSION,
              1_234_567,
              HelloAnswer.CONTINUE,
              new Epoch(1_234_567),
              new Epoch(1_234_568),
              ChainHash.first(Samples.TABLE_UUID, group(i)),
              Optional.empty()));
      shards.put(
          new ShardId(i),
          new ShardState(
              group(i),
              server(i),
              ShardPhase.ACTIVE,
              Optional.of(Watermark.ofEpochMicros(Samples.WATERMARK.toEpochMicros() + i)),
              true,
              true,
              12_345_678,
              12_345_678,
              Optional.empty()));
      sources.put(new SourceKey(group(i), server(i)), position(i * SERVERS / SHARDS));
    }
    TableState small = Samples.state();
    return new TableState(
        small.tableUuid(),
        new RoundNumber(1_234_567),
        small.term(),
        small.owner(),
        small.plan(),
        small.registryVersion(),
        19_753_088,
        small.validThrough(),
        small.snapshot(),
        true,
        small.added(),
        small.removed(),
        small.committedAt(),
        groups,
        shards,
        sources);
  }

  /** Of one group that reads all shards; manifests are left out, their size is the files'. */
  static Committable committable() {
    List<ShardProgress> shards = new ArrayList<>();
    List<SourceProgress> sources = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      shards.add(
          new ShardProgress(
              new ShardId(i),
              server(i),
              ShardPhase.ACTIVE,
              Optional.of(Watermark.ofEpochMicros(Samples.WATERMARK.toEpochMicros() + i)),
              12_345_678,
              12_345_678,
              Optional.empty()));
    }
    for (int i = 0; i < SERVERS; i++) {
      sources.add(new SourceProgress(server(i * SHARDS / SERVERS), Optional.of(position(i))));
    }
    ChainHash previous = ChainHash.first(Samples.TABLE_UUID, Samples.GROUP);
    return new Committable(
        Samples.TABLE,
        Samples.TABLE_UUID,
        Samples.GROUP,
        new Incarnation(12),
        Samples.SUBMISSION,
        new Epoch(1_234_568),
        previous,
        ChainHash.of(
            Samples.TABLE_UUID,
            Samples.GROUP,
            new Epoch(1_234_568),
            previous,
            List.of(),
            shards,
            sources),
        3,
        0,
        2,
        17,
        1_234_568,
        Samples.NOW,
        List.of(),
        shards,
        sources);
  }

  static Hello hello() {
    Hello small = Samples.hello(Optional.of(Samples.continuation()));
    List<ShardId> shards = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      shards.add(new ShardId(i));
    }
    return new Hello(
        small.table(),
        small.group(),
        small.incarnation(),
        small.submission(),
        small.continuation(),
        small.proposal(),
        shards,
        small.registryVersion(),
        small.sentAt());
  }
}
