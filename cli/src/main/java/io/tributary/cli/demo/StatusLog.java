package io.tributary.cli.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All messages of a status topic, and what is wrong with them: each round must be there once, in
 * order. May be used by several threads.
 */
public final class StatusLog {
  /** A message and when it could be read. */
  public record Received(StatusMessage message, Instant at) {}

  private final List<Received> received = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final List<String> faults = new ArrayList<>();
  private long duplicates;

  /** Takes the topic's next message. */
  public synchronized void accept(StatusMessage message, Instant at) {
    if (!ids.add(message.id())) {
      duplicates++;
    } else if (!received.isEmpty()) {
      long expected = received.get(received.size() - 1).message().round() + 1;
      if (message.round() != expected) {
        faults.add(
            "expected the message of round %d, found that of round %d"
                .formatted(expected, message.round()));
      }
    }
    received.add(new Received(message, at));
    notifyAll();
  }

  /** Messages that came again. */
  public synchronized long duplicates() {
    return duplicates;
  }

  /** Messages out of order or missing. */
  public synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  public synchronized List<Received> all() {
    return List.copyOf(received);
  }

  public synchronized Optional<StatusMessage> last() {
    return received.isEmpty()
        ? Optional.empty()
        : Optional.of(received.get(received.size() - 1).message());
  }

  /** Messages of rounds up to this one, those that came again included. */
  synchronized long countUpTo(long round) {
    return received.stream().filter(entry -> entry.message().round() <= round).count();
  }

  /** The first message with data that was committed at or after a time. */
  public synchronized Optional<Received> firstData(Instant since) {
    return received.stream()
        .filter(entry -> entry.message().dataRound())
        .filter(entry -> !entry.message().committedAt().isBefore(since))
        .findFirst();
  }

  /** Waits for news, at most so long. */
  public synchronized void awaitNews(Duration atMost) throws InterruptedException {
    wait(Math.max(1, atMost.toMillis()));
  }

  /**
   * How long after its watermark each message came that was committed in a period.
   *
   * @return in milliseconds, sorted
   */
  synchronized List<Long> lags(Instant since, Instant until) {
    List<Long> lags = new ArrayList<>();
    for (Received entry : received) {
      StatusMessage message = entry.message();
      if (message.validThrough().isPresent()
          && !message.committedAt().isBefore(since)
          && message.committedAt().isBefore(until)) {
        lags.add(Duration.between(message.validThrough().get(), entry.at()).toMillis());
      }
    }
    Collections.sort(lags);
    return lags;
  }

  /**
   * @param sorted ascending
   * @param percent 1 to 100
   * @return the smallest value that so many percent of all are at or below; 0 when there is none
   */
  static long percentile(List<Long> sorted, int percent) {
    if (sorted.isEmpty()) {
      return 0;
    }
    int index = (int) Math.ceil(sorted.size() * percent / 100.0) - 1;
    return sorted.get(Math.max(0, index));
  }
}
