package io.tributary.ingest.row;

import java.util.List;

/** Source tables that cannot go into one table as they are; says all that is wrong at once. */
public class UnfitSourceException extends RuntimeException {
  private final List<String> problems;

  /**
   * @param problems one sentence each, at least one
   */
  public UnfitSourceException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
