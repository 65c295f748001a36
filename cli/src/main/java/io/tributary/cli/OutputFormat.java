package io.tributary.cli;

/** How a verb writes its result. */
enum OutputFormat {
  /** For people. */
  TEXT,
  /** One JSON document. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
