package io.tributary.protocol.reader;

import io.tributary.protocol.RoundNumber;
import java.util.Objects;

/** Where to begin to follow a status topic. */
public sealed interface TailStart {
  /** At the oldest message that the topic still holds. */
  record Beginning() implements TailStart {}

  /** At the last message, which is the first to be delivered. */
  record Last() implements TailStart {}

  /** Behind the last message: only rounds published from now on. */
  record Next() implements TailStart {}

  /**
   * At the round that follows one: how a consumer goes on that has remembered the last round it has
   * dealt with. A round in between that the topic no longer holds is reported as missing.
   */
  record After(RoundNumber round) implements TailStart {
    public After {
      Objects.requireNonNull(round, "round");
    }
  }

  static TailStart beginning() {
    return new Beginning();
  }

  static TailStart last() {
    return new Last();
  }

  static TailStart next() {
    return new Next();
  }

  static TailStart after(RoundNumber round) {
    return new After(round);
  }
}
