package io.tributary.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A terminal whose text a test can look at. */
final class CapturedTerminal {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Terminal terminal =
      new Terminal(new PrintWriter(out), new PrintWriter(err), false, false);

  int run(String... args) {
    return Tributary.run(terminal, args);
  }

  Terminal terminal() {
    return terminal;
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }
}
