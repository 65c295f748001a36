package io.tributary.registry.zookeeper;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the registry lies: {@code host:port[,host:port...]/path}.
 *
 * @param servers {@code host:port}, several joined by ','
 * @param path the node everything lies below, beginning with '/'; made when it is missing
 */
public record ZooKeeperAddress(String servers, String path) {
  /** The path of an address that names none. */
  public static final String DEFAULT_PATH = "/tributary";

  private static final Pattern ALLOWED =
      Pattern.compile("([^/,@\\s]+:[0-9]{1,5}(?:,[^/,@\\s]+:[0-9]{1,5})*)(/[^\\s]*)?");
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_.-]*[A-Za-z0-9_-])+");

  /**
   * @throws IllegalArgumentException when a part has another form
   */
  public ZooKeeperAddress {
    Objects.requireNonNull(servers, "servers");
    Objects.requireNonNull(path, "path");
    if (!PATH.matcher(path).matches()) {
      throw new IllegalArgumentException(
          "Cannot use '"
              + path
              + "' as a ZooKeeper path: expected names of letters, digits, '_', '.' or '-', each"
              + " after a '/'");
    }
  }

  /**
   * @throws IllegalArgumentException when the text has another form
   */
  public static ZooKeeperAddress parse(String text) {
    Matcher matcher = ALLOWED.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "Cannot use '"
              + text
              + "' as a ZooKeeper address: expected host:port[,host:port...]/path");
    }
    String path = matcher.group(2);
    return new ZooKeeperAddress(
        matcher.group(1), path == null || path.equals("/") ? DEFAULT_PATH : path);
  }

  @Override
  public String toString() {
    return servers + path;
  }
}
