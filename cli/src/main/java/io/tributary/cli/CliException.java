package io.tributary.cli;

/** A verb cannot go on; the message is for the person at the keyboard. */
public final class CliException extends RuntimeException {
  private final int exitCode;

  /**
   * @param exitCode one of {@link ExitCode}
   * @param message "Cannot X: expected Y, found Z"
   */
  public CliException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** As above, with what {@code --debug} shows. */
  public CliException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** What the program ends with. */
  public int exitCode() {
    return exitCode;
  }
}
