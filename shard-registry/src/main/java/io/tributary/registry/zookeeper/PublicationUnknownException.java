package io.tributary.registry.zookeeper;

/**
 * A registry was sent to be published, and ZooKeeper answers neither that nor whether it was. It
 * was published wholly or not at all.
 */
public final class PublicationUnknownException extends RuntimeException {
  public PublicationUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
