package io.tributary.loadtests.simulation;

/** An invariant did not hold. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Invariant invariant;

  InvariantViolation(Invariant invariant, String found) {
    super("Cannot hold that " + invariant.text() + ": " + found, null, false, false);
    this.invariant = invariant;
  }

  InvariantViolation(Invariant invariant, Throwable cause) {
    super("Cannot hold that " + invariant.text() + ": " + cause, cause);
    this.invariant = invariant;
  }

  public Invariant invariant() {
    return invariant;
  }
}
