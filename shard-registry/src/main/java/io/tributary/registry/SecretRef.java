package io.tributary.registry;

import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Where a secret is kept, never the secret itself. It may be serialized, published and printed; the
 * secret is read by {@link #resolve()} in the process that opens the connection, and nowhere else.
 */
public sealed interface SecretRef extends Serializable {

  /**
   * Reads the secret now.
   *
   * @return the secret; never store, serialize or print it
   * @throws SecretUnavailableException when it cannot be read; the message names the place, never
   *     the content
   */
  default String resolve() {
    return resolve(System::getenv);
  }

  /** As {@link #resolve()}, with the environment to read from. */
  String resolve(UnaryOperator<String> environment);

  /** A secret in an environment variable of the process that opens the connection. */
  record EnvironmentVariable(String name) implements SecretRef {
    /**
     * What a variable's name looks like. Capitals only: a secret put here by mistake is refused.
     */
    static final Pattern ALLOWED = Pattern.compile("[A-Z_][A-Z0-9_]{0,127}");

    /**
     * @param name capital letters, digits and '_', not beginning with a digit
     * @throws IllegalArgumentException when the name has another form; the message does not repeat
     *     it, since it may be a secret put in the wrong place
     */
    public EnvironmentVariable {
      Objects.requireNonNull(name, "name");
      if (!ALLOWED.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "Cannot use an environment variable for a secret: expected a name of capital letters,"
                + " digits and '_', found another form (not shown)");
      }
    }

    @Override
    public String resolve(UnaryOperator<String> environment) {
      String secret = environment.apply(name);
      if (secret == null || secret.isEmpty()) {
        throw new SecretUnavailableException(
            "Cannot read a secret: expected environment variable "
                + name
                + " to be set in this process, found it "
                + (secret == null ? "unset" : "empty"));
      }
      return secret;
    }

    @Override
    public String toString() {
      return "secret in environment variable " + name;
    }
  }

  /**
   * A secret in a file that the process which opens the connection can read: UTF-8, one line break
   * at its end is not part of the secret.
   */
  record SecretFile(String path) implements SecretRef {
    private static final int MAX_BYTES = 64 * 1024;

    /**
     * @param path absolute, since the processes that read it have different working directories
     * @throws IllegalArgumentException when the path is not absolute
     */
    public SecretFile {
      Objects.requireNonNull(path, "path");
      if (!path.startsWith("/") || path.indexOf('\0') >= 0) {
        throw new IllegalArgumentException(
            "Cannot use a secret file: expected an absolute path, found another form (not shown)");
      }
    }

    @Override
    public String resolve(UnaryOperator<String> environment) {
      String secret;
      try {
        if (Files.size(Path.of(path)) > MAX_BYTES) {
          throw unavailable("a larger one");
        }
        secret = Files.readString(Path.of(path), StandardCharsets.UTF_8);
      } catch (NoSuchFileException e) {
        throw unavailable("none");
      } catch (IOException e) {
        // The cause's message could quote content (malformed input does not, others may): name the
        // kind only.
        throw unavailable("one that fails with " + e.getClass().getSimpleName());
      }
      if (secret.endsWith("\n")) {
        secret = secret.substring(0, secret.length() - (secret.endsWith("\r\n") ? 2 : 1));
      }
      if (secret.isEmpty()) {
        throw unavailable("an empty one");
      }
      return secret;
    }

    private SecretUnavailableException unavailable(String found) {
      return new SecretUnavailableException(
          "Cannot read a secret: expected a readable UTF-8 file of at most "
              + MAX_BYTES
              + " bytes at "
              + path
              + ", found "
              + found);
    }

    @Override
    public String toString() {
      return "secret in file " + path;
    }
  }
}
