package io.tributary.registry.zookeeper;

/**
 * ZooKeeper cannot be reached or does not answer. Whether a counter, a lease or a savepoint was
 * changed is then not known; a registry was not published ({@link PublicationUnknownException}
 * otherwise).
 */
public final class RegistryUnavailableException extends RuntimeException {
  public RegistryUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
