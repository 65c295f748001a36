package io.tributary.cli;

/** What the program's exit code means. The numbers are part of its interface and never change. */
public final class ExitCode {
  /** Done; the answer, where there is one, is yes. */
  public static final int OK = 0;

  /** The answer is no: a registry is refused, rows differ, a demo's verdict is not clean. */
  public static final int NO = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** It could not be done: something is missing, refuses or does not answer. */
  public static final int FAILED = 3;

  /** It did not happen in the given time. */
  public static final int TIMEOUT = 4;

  /**
   * Done, and nothing stands against it, but there is something to look at: warnings of a check,
   * changes of a plan.
   */
  public static final int NOTICE = 5;

  /** Ended by a signal such as Ctrl-C. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
