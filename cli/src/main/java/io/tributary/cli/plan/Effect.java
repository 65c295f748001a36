package io.tributary.cli.plan;

import java.util.Locale;

/** What becomes of a part of an edit. */
public enum Effect {
  /** It must not be published. */
  REFUSED,
  /** It is refused in the published registry as well: the edit makes it no better and no worse. */
  IGNORED,
  /** Only the table could tell, and it was not looked at. */
  UNKNOWN,
  /** Something is read, or made, that was not. */
  STARTS,
  /** Something is no longer read. */
  STOPS,
  /** Somebody else reads it, or from another place. */
  MOVES,
  /** It is done in another way, or only said in another way. */
  CHANGES;

  /** The word in text and JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
