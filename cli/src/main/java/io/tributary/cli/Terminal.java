package io.tributary.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.UncheckedIOException;

/**
 * Where verbs write. Results go to standard output, all else to standard error, so that a result
 * can be piped. A passing line is shown only where a person watches.
 */
public final class Terminal {
  private static final String ERASE = "\r\033[K";
  private static final int WIDTH = 110;

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean interactive;
  private final boolean colours;
  private final BufferedReader in;
  private boolean passing;
  private boolean silent;

  /**
   * @param interactive whether a person watches: passing lines are shown
   * @param colours whether the terminal shows colours
   */
  public Terminal(PrintWriter out, PrintWriter err, boolean interactive, boolean colours) {
    this(out, err, Reader.nullReader(), interactive, colours);
  }

  /** As above, with somebody who answers questions. */
  Terminal(PrintWriter out, PrintWriter err, Reader in, boolean interactive, boolean colours) {
    this.in = new BufferedReader(in);
    this.out = out;
    this.err = err;
    this.interactive = interactive;
    this.colours = colours;
  }

  /** The process's own, as {@code bin/tributary} found it. */
  static Terminal ofProcess() {
    boolean interactive = Boolean.getBoolean("tributary.terminal");
    return new Terminal(
        new PrintWriter(System.out, true, java.nio.charset.StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, java.nio.charset.StandardCharsets.UTF_8),
        new InputStreamReader(System.in, java.nio.charset.StandardCharsets.UTF_8),
        interactive,
        interactive && System.getenv("NO_COLOR") == null);
  }

  /** A terminal whose results, too, go to standard error: for what a verb tells on its way. */
  public Terminal besideResult() {
    return new Terminal(err, err, interactive, colours);
  }

  /** Says nothing any more: what comes after an interruption is only its echo. */
  public synchronized void silence() {
    endPassing();
    silent = true;
  }

  /** A line of the result. */
  public synchronized void line(String text) {
    if (silent) {
      return;
    }
    endPassing();
    out.println(text);
    out.flush();
  }

  /** A line beside the result. */
  public synchronized void note(String text) {
    if (silent) {
      return;
    }
    endPassing();
    err.println(text);
    err.flush();
  }

  /** A line that the next one replaces. */
  public synchronized void passing(String text) {
    if (interactive && !silent) {
      err.print(ERASE + (text.length() > WIDTH ? text.substring(0, WIDTH) : text));
      err.flush();
      passing = true;
    }
  }

  /**
   * Asks for a yes; whatever else is said is a no.
   *
   * @throws UncheckedIOException when nobody can be heard
   */
  boolean confirms(String question) {
    note(question + " [y/N]");
    try {
      String answer = in.readLine();
      return answer != null
          && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes a passing line away. */
  public synchronized void endPassing() {
    if (passing) {
      err.print(ERASE);
      err.flush();
      passing = false;
    }
  }

  public String bold(String text) {
    return styled("1", text);
  }

  public String dim(String text) {
    return styled("2", text);
  }

  public String good(String text) {
    return styled("32", text);
  }

  public String bad(String text) {
    return styled("31", text);
  }

  private String styled(String code, String text) {
    return colours ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
