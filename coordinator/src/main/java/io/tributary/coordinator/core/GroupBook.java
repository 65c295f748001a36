package io.tributary.coordinator.core;

import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableUuid;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * A group as the coordinator sees it: what the table remembers of it, and what the control topic
 * says beyond that.
 *
 * <pre>
 *              a hello continues or starts from the table
 *            +--------------------------------------------+
 *            v                                            |
 *   going  ----- an epoch above the next one ---->  held  |
 *     ^  |                                          |  |  |
 *     |  |          the missing one arrives         |  |  |
 *     |  |  <---------------------------------------+  |  |
 *     |  |                                   timeout   |  |
 *     |  +---- a fault ------------->  halted  <-------+  |
 *     |                                  |  |             |
 *     +-- a hello that is answered with -+  +-------------+
 *         anything but a refusal
 * </pre>
 *
 * <p>What a halt does to the group's messages: epochs admitted before the fault are committed;
 * nothing from the faulty message on is applied until a hello decides. Until then these messages
 * pin the topic's offset, so nothing is lost that an operator may still want. An accepted hello
 * makes them void: its job goes on from the table or from the last admitted epoch and brings all
 * that they brought. The halt is written to the table only once the epochs before it are committed,
 * so a successor may skip everything of a group that the table calls halted.
 *
 * <p>For the same reason the answer "continue" is written in the round that commits the epoch it
 * continues from: whatever lies before the hello of a written answer is then committed or void.
 */
final class GroupBook {
  /** An epoch and where it lies in the control topic. */
  record Entry(long offset, Committable committable) {
    Epoch epoch() {
      return committable.epoch();
    }

    ChainHash chain() {
      return committable.chain();
    }
  }

  /**
   * The newest submission that said hello.
   *
   * @param continuedFrom with {@link HelloAnswer#CONTINUE} the epoch it goes on from
   * @param written whether its answer is in the table
   */
  record Newest(
      Incarnation incarnation,
      SubmissionId submission,
      long helloOffset,
      HelloAnswer answer,
      Epoch continuedFrom,
      boolean written) {
    Newest refused() {
      return new Newest(
          incarnation, submission, helloOffset, HelloAnswer.REFUSED, continuedFrom, written);
    }
  }

  private final GroupName name;
  private Optional<GroupState> ledger;
  private Epoch committed;
  private ChainHash committedChain;
  private Optional<Newest> newest;
  private final List<Entry> pending = new ArrayList<>();
  private final SortedMap<Epoch, Entry> held = new TreeMap<>();
  private Optional<Instant> heldSince = Optional.empty();
  private Optional<Halt> halt;
  private OptionalLong haltOffset = OptionalLong.empty();
  private final Deque<Event.Record> waiting = new ArrayDeque<>();
  private final Tally tally = new Tally();
  private boolean firstFilesDue;
  private int roundsWithRest;

  /** What was not applied, for metrics. */
  static final class Tally {
    long duplicates;
    long zombies;
    long voided;
  }

  GroupBook(GroupName name, TableUuid table, Optional<GroupState> ledger) {
    this.name = name;
    this.ledger = ledger;
    this.committed = ledger.map(GroupState::epoch).orElse(new Epoch(0));
    this.committedChain = ledger.map(GroupState::chain).orElse(ChainHash.first(table, name));
    this.newest =
        ledger.map(
            state ->
                new Newest(
                    state.incarnation(),
                    state.submission(),
                    state.helloOffset(),
                    state.answer(),
                    state.continuedFrom(),
                    true));
    this.halt = ledger.flatMap(GroupState::halt);
    this.firstFilesDue =
        ledger
            .filter(state -> state.answer() == HelloAnswer.START_FROM_TABLE)
            .filter(state -> state.epoch().equals(state.continuedFrom()))
            .isPresent();
  }

  GroupName name() {
    return name;
  }

  Epoch committed() {
    return committed;
  }

  ChainHash committedChain() {
    return committedChain;
  }

  Optional<Newest> newest() {
    return newest;
  }

  List<Entry> pending() {
    return pending;
  }

  Optional<Instant> heldSince() {
    return heldSince;
  }

  int heldEpochs() {
    return held.size();
  }

  Optional<Halt> halt() {
    return halt;
  }

  Deque<Event.Record> waiting() {
    return waiting;
  }

  Tally tally() {
    return tally;
  }

  /** The last epoch that is committed or admitted. */
  Epoch last() {
    return pending.isEmpty() ? committed : pending.get(pending.size() - 1).epoch();
  }

  ChainHash lastChain() {
    return pending.isEmpty() ? committedChain : pending.get(pending.size() - 1).chain();
  }

  /** The chain hash of a committed or admitted epoch, where it is known. */
  Optional<ChainHash> chainOf(Epoch epoch) {
    if (epoch.equals(committed)) {
      return Optional.of(committedChain);
    }
    return pending.stream()
        .filter(entry -> entry.epoch().equals(epoch))
        .map(Entry::chain)
        .findFirst();
  }

  Optional<Entry> heldAt(Epoch epoch) {
    return Optional.ofNullable(held.get(epoch));
  }

  boolean speaksFor(ShardId shard) {
    return pending.stream()
        .anyMatch(
            entry -> entry.committable().shards().stream().anyMatch(s -> s.shard().equals(shard)));
  }

  /**
   * Whether the next epoch with files is the first since the group was told to start from the
   * table: shards whose initial snapshot had begun before must be emptied in it.
   */
  boolean firstFilesDue() {
    return firstFilesDue;
  }

  void admit(Entry entry) {
    pending.add(entry);
    firstFilesDue &= entry.committable().slices().isEmpty();
  }

  /** The next held epoch, taken out, if nothing is missing before it any more. */
  Optional<Entry> releaseNext() {
    held.headMap(last().next()).clear();
    Entry entry = held.remove(last().next());
    if (held.isEmpty()) {
      heldSince = Optional.empty();
    }
    return Optional.ofNullable(entry);
  }

  /**
   * @return whether the group was not held before
   */
  boolean hold(Entry entry, Instant now) {
    held.putIfAbsent(entry.epoch(), entry);
    boolean first = heldSince.isEmpty();
    if (first) {
      heldSince = Optional.of(now);
    }
    return first;
  }

  /**
   * Nothing from here on is applied until a hello.
   *
   * @param offset where the faulty message lies; empty when a held epoch is the reason
   */
  void halt(Halt found, OptionalLong offset) {
    halt = Optional.of(found);
    haltOffset =
        LongStream.concat(
                LongStream.concat(offset.stream(), haltOffset.stream()),
                held.values().stream().mapToLong(Entry::offset))
            .min();
    held.clear();
    heldSince = Optional.empty();
  }

  /** A message of the halted group that a hello may still make void. */
  void pin(long offset) {
    if (haltOffset.isEmpty()) {
      haltOffset = OptionalLong.of(offset);
    }
  }

  /**
   * An admitted epoch turned out to be faulty: it and what is admitted on top of it never get in.
   *
   * @return whether the epoch was pending
   */
  boolean fault(Epoch epoch, Halt found) {
    Optional<Entry> faulty =
        pending.stream().filter(entry -> entry.epoch().equals(epoch)).findFirst();
    if (faulty.isEmpty()) {
      return false;
    }
    pending.removeIf(entry -> entry.epoch().compareTo(epoch) >= 0);
    halt(found, OptionalLong.of(faulty.get().offset()));
    // The job was not told yet: it must not go on from an epoch that never gets in.
    newest =
        newest.map(
            n ->
                !n.written()
                        && n.answer() == HelloAnswer.CONTINUE
                        && n.continuedFrom().compareTo(epoch) >= 0
                    ? n.refused()
                    : n);
    return true;
  }

  /**
   * A hello was judged.
   *
   * @param keep pending epochs above this one are void
   * @param refusal why it was refused; empty lifts a halt
   */
  void answered(Newest hello, Epoch keep, Optional<Halt> refusal) {
    newest = Optional.of(hello);
    int before = pending.size() + held.size();
    pending.removeIf(entry -> entry.epoch().compareTo(keep) > 0);
    held.clear();
    tally.voided += before - pending.size();
    heldSince = Optional.empty();
    halt = refusal;
    firstFilesDue =
        switch (hello.answer()) {
          case START_FROM_TABLE -> true;
          // Its readers go on with the copy whose rows are in the table.
          case CONTINUE -> false;
          case REFUSED -> firstFilesDue;
        };
    // Behind a refusal nothing of the group can become valid any more: its hello is the boundary.
    haltOffset = OptionalLong.empty();
  }

  /** Whether a hello waits for its answer to be written. */
  boolean owesAnswer() {
    return newest.filter(n -> !n.written()).isPresent();
  }

  /** Whether the answer may be written with a round that ends here. */
  private boolean writable(Newest hello, Epoch epoch, boolean rest) {
    return switch (hello.answer()) {
      case START_FROM_TABLE -> true;
      case CONTINUE -> epoch.compareTo(hello.continuedFrom()) >= 0;
      case REFUSED -> !rest;
    };
  }

  /**
   * What the table is to remember after a round that takes the first {@code taken} pending epochs;
   * empty for a group that never said hello.
   */
  Optional<GroupState> after(int taken) {
    Epoch epoch = taken == 0 ? committed : pending.get(taken - 1).epoch();
    ChainHash chain = taken == 0 ? committedChain : pending.get(taken - 1).chain();
    boolean rest = taken < pending.size();
    if (newest.isPresent()) {
      Newest hello = newest.get();
      if (hello.written() || writable(hello, epoch, rest)) {
        Epoch continuedFrom =
            hello.written() || hello.answer() == HelloAnswer.CONTINUE
                ? hello.continuedFrom()
                : epoch;
        return Optional.of(
            new GroupState(
                hello.incarnation(),
                hello.submission(),
                hello.helloOffset(),
                hello.answer(),
                continuedFrom,
                epoch,
                chain,
                rest ? Optional.empty() : halt));
      }
    }
    return ledger.map(
        state ->
            new GroupState(
                state.incarnation(),
                state.submission(),
                state.helloOffset(),
                state.answer(),
                state.continuedFrom(),
                epoch,
                chain,
                state.halt()));
  }

  /** The lowest offset that is needed after a round that takes the first {@code taken} epochs. */
  OptionalLong neededAfter(int taken) {
    Epoch epoch = taken == 0 ? committed : pending.get(taken - 1).epoch();
    boolean rest = taken < pending.size();
    LongStream offsets =
        LongStream.concat(
            pending.stream().skip(taken).mapToLong(Entry::offset),
            held.values().stream().mapToLong(Entry::offset));
    if (haltOffset.isPresent()) {
      offsets = LongStream.concat(offsets, LongStream.of(haltOffset.getAsLong()));
    }
    if (!waiting.isEmpty()) {
      offsets = LongStream.concat(offsets, LongStream.of(waiting.peekFirst().offset()));
    }
    if (newest.isPresent() && !newest.get().written() && !writable(newest.get(), epoch, rest)) {
      offsets = LongStream.concat(offsets, LongStream.of(newest.get().helloOffset()));
    }
    return offsets.min();
  }

  /** How many of the group's last rounds in a row each left an epoch behind. */
  int roundsWithRest() {
    return roundsWithRest;
  }

  /** The table has moved on. */
  void committed(GroupState state) {
    boolean moved = state.epoch().compareTo(committed) > 0;
    ledger = Optional.of(state);
    committed = state.epoch();
    committedChain = state.chain();
    pending.removeIf(entry -> entry.epoch().compareTo(committed) <= 0);
    if (moved) {
      roundsWithRest = pending.isEmpty() ? 0 : roundsWithRest + 1;
    }
    newest =
        newest.map(
            n ->
                n.helloOffset() == state.helloOffset()
                    ? new Newest(
                        n.incarnation(),
                        n.submission(),
                        n.helloOffset(),
                        n.answer(),
                        state.continuedFrom(),
                        true)
                    : n);
  }
}
