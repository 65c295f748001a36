package io.tributary.registry.zookeeper;

/** ZooKeeper cannot be reached or does not answer; whether a change was made is then not known. */
public final class RegistryUnavailableException extends RuntimeException {
  public RegistryUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
