package io.tributary.coordinator;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Event;

/**
 * Called around each thing that the loop does outside itself, so that a test can make the
 * coordinator die exactly there. Production uses {@link #NONE}.
 */
public interface Steps {
  Steps NONE = new Steps() {};

  /** The action is decided, nothing is done yet. */
  default void before(Action action) {}

  /**
   * The action is done, the core has not been told.
   *
   * @param answer what the core is going to be told; null when the action has no answer
   */
  default void after(Action action, Event answer) {}
}
