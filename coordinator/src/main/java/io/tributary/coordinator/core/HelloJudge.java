package io.tributary.coordinator.core;

import io.tributary.protocol.Continuation;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardId;
import java.time.Instant;
import java.util.Optional;

/**
 * Judges a hello, in topic order. The newest submission goes on from the epoch it names if that is
 * committed or admitted; what is admitted behind it is void. A submission without Flink state
 * starts from the table, and what is admitted of its predecessor is void.
 */
final class HelloJudge {
  /** What is to be done with a hello. */
  sealed interface Verdict {
    /** The table knows its answer. */
    record Known() implements Verdict {}

    /** It is a superseded submission's. */
    record Zombie(String text) implements Verdict {}

    /** It took the incarnation of a submission that goes on undisturbed. */
    record Usurper(String text) implements Verdict {}

    /** It was sent with a registry that the coordinator does not have yet. */
    record Wait(String text) implements Verdict {}

    /**
     * It is the group's newest.
     *
     * @param keep admitted epochs above this one are void
     * @param refusal why its job cannot go on
     */
    record Answer(GroupBook.Newest newest, Epoch keep, Optional<Halt> refusal) implements Verdict {}
  }

  private final Judgement judgement;
  private final GroupBook book;
  private final Instant now;

  HelloJudge(Judgement judgement, GroupBook book, Instant now) {
    this.judgement = judgement;
    this.book = book;
    this.now = now;
  }

  /**
   * @param misfit why the proposal does not fit the table, if it does not
   */
  Verdict judge(long offset, Hello hello, Optional<String> misfit) {
    Optional<GroupBook.Newest> newest = book.newest();
    if (newest.filter(known -> isJudged(offset, hello, known)).isPresent()) {
      return new Verdict.Known();
    }
    if (holds(Protection.INCARNATION) && newest.isPresent()) {
      int age = hello.incarnation().compareTo(newest.get().incarnation());
      if (age < 0) {
        return new Verdict.Zombie(
            "Cannot answer the hello of %s: expected an incarnation of at least %s, found %s, a superseded submission; cure: cancel the older job"
                .formatted(subject(hello), newest.get().incarnation(), hello.incarnation()));
      }
      if (age == 0 && !hello.submission().equals(newest.get().submission())) {
        return new Verdict.Usurper(
            "Cannot answer the hello of %s: expected submission %s of incarnation %s, found submission %s with the same incarnation; the first one goes on; cure: cancel the second one and submit it again with the registry reachable"
                .formatted(
                    subject(hello),
                    newest.get().submission(),
                    hello.incarnation(),
                    hello.submission()));
      }
    }
    // A registry that was read from a file has no version to compare with.
    long registry = judgement.membership().registryVersion();
    if (registry != 0 && hello.registryVersion() > registry) {
      return new Verdict.Wait(
          "Cannot answer the hello of %s yet: expected registry version %d or older, found %d; it waits until the coordinator has that version"
              .formatted(
                  subject(hello),
                  judgement.membership().registryVersion(),
                  hello.registryVersion()));
    }
    return answer(offset, hello, misfit);
  }

  /** On a topic that was created again, the first hello may lie where an older one did. */
  private static boolean isJudged(long offset, Hello hello, GroupBook.Newest known) {
    return offset < known.helloOffset()
        || offset == known.helloOffset() && hello.submission().equals(known.submission());
  }

  private Verdict answer(long offset, Hello hello, Optional<String> misfit) {
    if (misfit.isPresent()) {
      return refuse(
          offset,
          hello,
          book.last(),
          HaltCode.SCHEMA_MISMATCH,
          misfit.get() + "; cure: make the sources fit the table, then start the group again");
    }
    Optional<ShardId> foreign =
        holds(Protection.OWNERSHIP)
            ? hello.shards().stream()
                .filter(shard -> !judgement.membership().owns(hello.group(), shard))
                .findFirst()
            : Optional.empty();
    if (foreign.isPresent()) {
      return refuse(
          offset,
          hello,
          book.last(),
          HaltCode.NOT_OWNED,
          "expected %s, found shard %s read by group %s; cure: correct the registry or the job's shards, then start the group again"
              .formatted(
                  judgement.membership().ownerText(foreign.get()), foreign.get(), hello.group()));
    }
    if (hello.continuation().isEmpty()) {
      return accept(offset, hello, HelloAnswer.START_FROM_TABLE, book.committed());
    }
    Continuation from = hello.continuation().get();
    if (!holds(Protection.CHAIN_HASH)
        ? from.epoch().compareTo(book.last()) <= 0
        : book.chainOf(from.epoch()).filter(from.chain()::equals).isPresent()) {
      return accept(offset, hello, HelloAnswer.CONTINUE, from.epoch());
    }
    boolean ahead = from.epoch().compareTo(book.last()) > 0;
    return refuse(
        offset,
        hello,
        book.committed(),
        ahead ? HaltCode.GAP : HaltCode.REWOUND,
        (ahead
                ? "expected it to continue from epoch %s at most, found epoch %s: epochs in between never arrived or were void"
                    .formatted(book.last(), from.epoch())
                : "expected it to continue from committed epoch %s or an admitted one up to %s, found epoch %s with another history: the job was restored from a state older than what is committed"
                    .formatted(book.committed(), book.last(), from.epoch()))
            + Judgement.startFromTable(hello.group()));
  }

  private Verdict accept(long offset, Hello hello, HelloAnswer answer, Epoch from) {
    return new Verdict.Answer(
        newest(offset, hello, answer, from),
        holds(Protection.HELLO_ORDER) ? from : book.last(),
        Optional.empty());
  }

  private Verdict refuse(long offset, Hello hello, Epoch keep, HaltCode code, String found) {
    return new Verdict.Answer(
        newest(offset, hello, HelloAnswer.REFUSED, book.committed()),
        keep,
        Optional.of(new Halt(code, "Cannot let " + subject(hello) + " go on: " + found, now)));
  }

  private static GroupBook.Newest newest(long offset, Hello hello, HelloAnswer answer, Epoch from) {
    return new GroupBook.Newest(
        hello.incarnation(), hello.submission(), offset, answer, from, false);
  }

  private boolean holds(Protection protection) {
    return judgement.protections().holds(protection);
  }

  private String subject(Hello hello) {
    return "incarnation %s of group %s on table %s in term %s"
        .formatted(hello.incarnation(), hello.group(), judgement.table(), judgement.term());
  }
}
