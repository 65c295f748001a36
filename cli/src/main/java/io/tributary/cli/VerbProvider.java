package io.tributary.cli;

/**
 * Brings a verb from a module that this one must not know, found by Java's service loader: the
 * heavy verbs, which are built when they are first called.
 */
public interface VerbProvider {
  /**
   * @param terminal where the verb writes
   * @return a command of the command line's library
   */
  Object verb(Terminal terminal);
}
