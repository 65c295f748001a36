package io.tributary.coordinator.iceberg;

import io.tributary.protocol.HaltCode;

/**
 * A committable's files are not what they must be. Says "expected ..., found ..."; where that was
 * is the catcher's to add.
 */
final class RefusedFilesException extends RuntimeException {
  private final HaltCode code;

  RefusedFilesException(HaltCode code, String message) {
    super(message);
    this.code = code;
  }

  RefusedFilesException(HaltCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  HaltCode code() {
    return code;
  }
}
