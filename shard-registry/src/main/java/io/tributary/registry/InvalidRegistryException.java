package io.tributary.registry;

import java.util.List;
import java.util.stream.Collectors;

/** A registry file is refused; holds every problem found in it, in the order of its lines. */
public final class InvalidRegistryException extends RuntimeException {
  private final transient List<RegistryProblem> problems;

  /**
   * @param problems at least one
   */
  public InvalidRegistryException(String file, List<RegistryProblem> problems) {
    super(
        problems.stream()
            .map(RegistryProblem::toString)
            .collect(
                Collectors.joining(
                    "\n  ",
                    "Cannot use registry "
                        + file
                        + ": expected no problem, found "
                        + problems.size()
                        + ":\n  ",
                    "")));
    this.problems = List.copyOf(problems);
  }

  /** All problems, in the order of their lines. */
  public List<RegistryProblem> problems() {
    return problems;
  }
}
