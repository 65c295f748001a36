package io.tributary.coordinator.core;

import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import java.util.Map;
import java.util.Optional;

/**
 * Judges one committable: sent twice, missing one before it, of a rewound job, of a superseded one,
 * foreign to the table, or good. What only the manifests tell (partitions, files that exist,
 * position deletes) is checked by whoever reads them, before the round.
 *
 * <p>The order of the questions matters: an epoch that is known to be committed is a repetition
 * whoever sends it; a superseded submission can do no harm, whatever it sends; only then is an
 * epoch that does not fit a fault of the group.
 */
final class Admission {
  /** What is to be done with a committable. */
  sealed interface Verdict {
    /** It is the next epoch. */
    record Admit() implements Verdict {}

    /** It is good as far as can be told, and an epoch before it is missing. */
    record Hold(String text) implements Verdict {}

    /** It was sent before. */
    record Duplicate() implements Verdict {}

    /** It lies before a hello that the table answers, and was judged before a restart. */
    record Void() implements Verdict {}

    /** It is a superseded submission's. */
    record Zombie(String text) implements Verdict {}

    /** It is that of a second submission with the same incarnation. */
    record Usurper(String text) implements Verdict {}

    /** The group stands still; kept until a hello decides. */
    record Pin() implements Verdict {}

    /** The group stands still from here on. */
    record Halt(HaltCode code, String text) implements Verdict {}
  }

  private static final Verdict ADMIT = new Verdict.Admit();
  private static final Verdict DUPLICATE = new Verdict.Duplicate();
  private static final Verdict VOID = new Verdict.Void();
  private static final Verdict PIN = new Verdict.Pin();

  private final Judgement judgement;
  private final GroupBook book;
  private final Map<ShardId, ShardState> shards;

  /**
   * @param shards what the table remembers of the shards
   */
  Admission(Judgement judgement, GroupBook book, Map<ShardId, ShardState> shards) {
    this.judgement = judgement;
    this.book = book;
    this.shards = shards;
  }

  Verdict judge(long offset, Committable epoch) {
    if (isRepetition(epoch)) {
      return DUPLICATE;
    }
    if (holds(Protection.HELLO_ORDER) && isSettled(offset)) {
      return VOID;
    }
    Optional<Verdict> identity = identity(offset, epoch);
    if (identity.isPresent()) {
      return identity.get();
    }
    if (book.halt().isPresent()) {
      return PIN;
    }
    return place(epoch).or(() -> content(epoch)).orElse(ADMIT);
  }

  /** Whether a held epoch that has become the next one may get in. */
  Verdict judgeReleased(Committable epoch) {
    return place(epoch).or(() -> content(epoch)).orElse(ADMIT);
  }

  /** Below the committed epoch the hash is no longer known; the chain has grown over it. */
  private boolean isRepetition(Committable epoch) {
    return sameTable(epoch)
        && (epoch.epoch().compareTo(book.committed()) < 0
            || book.chainOf(epoch.epoch()).filter(epoch.chain()::equals).isPresent()
            || book.heldAt(epoch.epoch()).filter(e -> e.chain().equals(epoch.chain())).isPresent());
  }

  private boolean sameTable(Committable epoch) {
    return epoch.tableUuid().equals(judgement.tableUuid()) || !holds(Protection.TABLE_IDENTITY);
  }

  /**
   * Read again after a restart, because another group needs the topic from there on: what lies
   * before a hello whose answer the table knows is committed or void, whatever number it has. A
   * submission that started from the table has long used the numbers of its predecessor's void
   * epochs for its own.
   */
  private boolean isSettled(long offset) {
    return book.newest()
        .filter(hello -> hello.written() && offset < hello.helloOffset())
        .isPresent();
  }

  private Optional<Verdict> identity(long offset, Committable epoch) {
    Optional<GroupBook.Newest> newest = book.newest();
    boolean beforeHello = newest.filter(hello -> offset < hello.helloOffset()).isPresent();
    boolean incarnations = holds(Protection.INCARNATION) && !beforeHello;
    if (incarnations
        && newest
            .filter(hello -> epoch.incarnation().compareTo(hello.incarnation()) < 0)
            .isPresent()) {
      return Optional.of(
          new Verdict.Zombie(
              "Cannot admit %s: expected incarnation %s, found %s, a superseded submission of the group; cure: cancel the older job"
                  .formatted(subject(epoch), newest.get().incarnation(), epoch.incarnation())));
    }
    if (!sameTable(epoch)) {
      return Optional.of(
          halt(
              HaltCode.OTHER_TABLE,
              epoch,
              "expected table UUID %s, found %s: the table was dropped and created again, or restored as another one"
                  .formatted(judgement.tableUuid(), epoch.tableUuid())));
    }
    if (!epoch.table().equals(judgement.table())) {
      return Optional.of(
          halt(
              HaltCode.OTHER_TABLE,
              epoch,
              "expected table %s, found %s".formatted(judgement.table(), epoch.table())));
    }
    if (incarnations
        && newest
            .filter(hello -> hello.incarnation().equals(epoch.incarnation()))
            .filter(hello -> !hello.submission().equals(epoch.submission()))
            .isPresent()) {
      return Optional.of(
          new Verdict.Usurper(
              "Cannot admit %s: expected submission %s of incarnation %s, found submission %s, which took the same incarnation; cure: cancel it and submit again with the registry reachable"
                  .formatted(
                      subject(epoch),
                      newest.get().submission(),
                      epoch.incarnation(),
                      epoch.submission())));
    }
    if (incarnations
        && newest.filter(hello -> hello.incarnation().equals(epoch.incarnation())).isEmpty()
        && book.halt().isEmpty()) {
      return Optional.of(
          halt(
              HaltCode.UNKNOWN_INCARNATION,
              epoch,
              "expected %s, found incarnation %s, which never said hello"
                  .formatted(
                      newest
                          .map(hello -> "incarnation " + hello.incarnation())
                          .orElse("a hello first"),
                      epoch.incarnation())));
    }
    return Optional.empty();
  }

  /** Is it the next link of the chain? */
  private Optional<Verdict> place(Committable epoch) {
    Epoch next = book.last().next();
    int place = epoch.epoch().compareTo(next);
    if (place < 0) {
      return holds(Protection.CHAIN_HASH)
          ? Optional.of(
              rewound(
                  epoch,
                  "expected chain hash %s, found %s"
                      .formatted(
                          book.chainOf(epoch.epoch()).map(Admission::brief).orElse("unknown"),
                          brief(epoch.chain()))))
          : Optional.of(DUPLICATE);
    }
    if (place > 0 && holds(Protection.EPOCH_CONTIGUITY)) {
      Optional<GroupBook.Entry> held = book.heldAt(epoch.epoch());
      if (held.isPresent() && holds(Protection.CHAIN_HASH)) {
        return Optional.of(
            rewound(
                epoch,
                "expected chain hash %s as in the one held, found %s"
                    .formatted(brief(held.get().chain()), brief(epoch.chain()))));
      }
      return Optional.of(
          new Verdict.Hold(
              "Cannot admit %s: expected epoch %s, found epoch %s; it is held, the group's watermark stands, and the control topic is kept from here"
                  .formatted(subject(epoch), next, epoch.epoch())));
    }
    if (holds(Protection.CHAIN_HASH) && place == 0 && !epoch.previous().equals(book.lastChain())) {
      return Optional.of(
          rewound(
              epoch,
              "expected it to follow epoch %s with chain hash %s, found %s"
                  .formatted(book.last(), brief(book.lastChain()), brief(epoch.previous()))));
    }
    return Optional.empty();
  }

  private Verdict rewound(Committable epoch, String found) {
    return halt(
        HaltCode.REWOUND,
        epoch,
        found + ": the job was restored from a state older than what is committed or admitted");
  }

  /** Does it fit the table, and does the group own what it speaks for? */
  private Optional<Verdict> content(Committable epoch) {
    TableLayout layout = judgement.layout();
    if (epoch.specId() != layout.specId() || epoch.formatVersion() != layout.formatVersion()) {
      return Optional.of(
          halt(
              HaltCode.WRONG_LAYOUT,
              epoch,
              "expected partition spec %d and format version %d, found spec %d and version %d: the table's layout was changed"
                  .formatted(
                      layout.specId(),
                      layout.formatVersion(),
                      epoch.specId(),
                      epoch.formatVersion())));
    }
    return ownership(epoch).or(() -> secondCopy(epoch));
  }

  private Optional<Verdict> ownership(Committable epoch) {
    if (!holds(Protection.OWNERSHIP)) {
      return Optional.empty();
    }
    for (ShardProgress shard : epoch.shards()) {
      if (!judgement.membership().reads(epoch.group(), shard.shard(), shard.server())) {
        return Optional.of(
            notOwned(
                epoch,
                shard.shard(),
                "from server " + shard.server() + " by group " + epoch.group()));
      }
    }
    for (Slice slice : epoch.slices()) {
      for (ShardId shard : slice.emptyShards()) {
        if (!judgement.membership().owns(epoch.group(), shard)) {
          return Optional.of(notOwned(epoch, shard, "emptied by group " + epoch.group()));
        }
      }
    }
    return Optional.empty();
  }

  private Verdict notOwned(Committable epoch, ShardId shard, String found) {
    return new Verdict.Halt(
        HaltCode.NOT_OWNED,
        "Cannot admit %s: expected %s, found shard %s %s; cure: correct the registry or the job's shards, then start group %s anew"
            .formatted(
                subject(epoch),
                judgement.membership().ownerText(shard),
                shard,
                found,
                epoch.group()));
  }

  /** A copy over the rows of an interrupted one would keep rows that were deleted in between. */
  private Optional<Verdict> secondCopy(Committable epoch) {
    if (!holds(Protection.EMPTY_BEFORE_SECOND_COPY)
        || epoch.slices().isEmpty()
        || !book.firstFilesDue()) {
      return Optional.empty();
    }
    for (ShardProgress shard : epoch.shards()) {
      ShardState known = shards.get(shard.shard());
      if (known != null
          && known.started()
          && known.phase() == ShardPhase.SNAPSHOT
          && !epoch.slices().get(0).emptyShards().contains(shard.shard())) {
        return Optional.of(
            halt(
                HaltCode.SECOND_COPY,
                epoch,
                "expected it to empty shard %s, whose interrupted initial snapshot is in the table, found shards to empty %s"
                    .formatted(shard.shard(), epoch.slices().get(0).emptyShards())));
      }
    }
    return Optional.empty();
  }

  private Verdict halt(HaltCode code, Committable epoch, String found) {
    return new Verdict.Halt(
        code,
        "Cannot admit " + subject(epoch) + ": " + found + Judgement.startFromTable(epoch.group()));
  }

  private boolean holds(Protection protection) {
    return judgement.protections().holds(protection);
  }

  private String subject(Committable epoch) {
    return judgement.subject(epoch.group(), epoch.epoch());
  }

  private static String brief(ChainHash hash) {
    return hash.value().substring(0, 12);
  }
}
