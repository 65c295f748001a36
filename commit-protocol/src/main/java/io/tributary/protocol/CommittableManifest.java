package io.tributary.protocol;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * An Iceberg manifest of a committable's files, in Iceberg's own bytes: inside the message when it
 * is small, beside the table otherwise. The coordinator reads it and adds the files one by one; it
 * never becomes part of the table itself.
 */
public sealed interface CommittableManifest {
  ManifestContent content();

  /** The bytes' SHA-256 in 64 lower-case hexadecimal digits. */
  String sha256();

  /** The manifest's length in bytes. */
  long length();

  /**
   * A manifest that travels inside the message.
   *
   * @param bytes the manifest file; not to be changed by anybody afterwards
   */
  record Inline(ManifestContent content, byte[] bytes, String sha256)
      implements CommittableManifest {
    /**
     * @throws IllegalArgumentException when there are no bytes or they do not have this hash
     */
    public Inline {
      Objects.requireNonNull(content, "content");
      Objects.requireNonNull(bytes, "bytes");
      if (bytes.length == 0) {
        throw new IllegalArgumentException("Cannot use a manifest: expected bytes, found none");
      }
      String found = hash(bytes);
      if (!found.equals(sha256)) {
        throw new IllegalArgumentException(
            "Cannot use a manifest: expected SHA-256 " + sha256 + ", found " + found);
      }
    }

    public static Inline of(ManifestContent content, byte[] bytes) {
      return new Inline(content, bytes, hash(bytes));
    }

    @Override
    public long length() {
      return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Inline that && content == that.content && sha256.equals(that.sha256);
    }

    @Override
    public int hashCode() {
      return sha256.hashCode();
    }

    @Override
    public String toString() {
      return content + " manifest of " + bytes.length + " bytes, SHA-256 " + sha256;
    }
  }

  /**
   * A manifest stored beside the table.
   *
   * @param path where, as the table's FileIO reads it
   * @param length its length in bytes, above 0
   */
  record Stored(ManifestContent content, String path, long length, String sha256)
      implements CommittableManifest {
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    /**
     * @throws IllegalArgumentException when the length is not above 0 or the hash is none
     */
    public Stored {
      Objects.requireNonNull(content, "content");
      Objects.requireNonNull(path, "path");
      Objects.requireNonNull(sha256, "sha256");
      if (!SHA256.matcher(sha256).matches()) {
        throw new IllegalArgumentException(
            "Cannot use manifest "
                + path
                + ": expected a SHA-256 in 64 lower-case hexadecimal digits, found '"
                + sha256
                + "'");
      }
      if (length <= 0) {
        throw new IllegalArgumentException(
            "Cannot use manifest " + path + ": expected a length above 0, found " + length);
      }
    }
  }

  /** The SHA-256 of bytes, in 64 lower-case hexadecimal digits. */
  static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
