package io.tributary.protocol;

import java.util.Objects;

/** The last epoch that a job's Flink state knows to be sealed, and its chain hash. */
public record Continuation(Epoch epoch, ChainHash chain) {
  public Continuation {
    Objects.requireNonNull(epoch, "epoch");
    Objects.requireNonNull(chain, "chain");
  }
}
