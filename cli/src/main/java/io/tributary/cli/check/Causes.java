package io.tributary.cli.check;

/** Says in one line why something failed. */
final class Causes {
  private Causes() {}

  /** The innermost exception: what wraps it repeats it or says less. */
  static String of(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return message == null || message.isBlank()
        ? root.getClass().getSimpleName()
        : message.lines().findFirst().orElse(message).strip();
  }
}
