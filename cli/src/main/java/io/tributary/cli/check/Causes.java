package io.tributary.cli.check;

/** Says why something failed. */
public final class Causes {
  private Causes() {}

  /** The innermost exception: what wraps it repeats it or says less. */
  public static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }

  /** The innermost exception's message in one line. */
  public static String of(Throwable failure) {
    Throwable root = root(failure);
    String message = root.getMessage();
    return message == null || message.isBlank()
        ? root.getClass().getSimpleName()
        : message.lines().findFirst().orElse(message).strip();
  }
}
