package io.tributary.localstack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The JVM's archive of the classes that one kind of service loads at its start. With it a service
 * starts on about half of the processor time.
 *
 * @param file where the archive is or will be
 * @param recording where this run writes it, unique to the run
 * @param records whether this run records the archive when it ends
 */
record ClassArchive(Path file, Path recording, boolean records) {

  private static final int FINGERPRINT_BYTES = 8;

  /**
   * The archive of a kind of service for exactly these jars and this Java.
   *
   * @param jars the whole classpath, in its order
   * @param run tells runs apart that may record at the same time
   * @param record whether to record it when it is missing
   */
  static ClassArchive of(Path archives, String kind, List<Path> jars, String run, boolean record) {
    Path file = archives.resolve("%s-%s.jsa".formatted(kind, fingerprint(jars)));
    Path recording = file.resolveSibling("%s.%s".formatted(file.getFileName(), run));
    return new ClassArchive(file, recording, record && !Files.exists(file));
  }

  /** Options that use the archive where there is one, or record it. */
  List<String> javaOptions() {
    // The JVM's remarks on classes that do not fit would fill the service's output.
    if (records) {
      return List.of("-XX:ArchiveClassesAtExit=" + recording, "-Xlog:disable");
    }
    // Where it was when it was recorded: the JVM would move it to a random address, pointer by
    // pointer, for the safety of servers that are not on one machine for some minutes.
    return Files.exists(file)
        ? List.of(
            "-XX:SharedArchiveFile=" + file,
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=0",
            "-Xlog:disable")
        : List.of();
  }

  /** Makes room for a recording. */
  void prepare() {
    try {
      Files.createDirectories(file.getParent());
      Files.deleteIfExists(recording);
    } catch (IOException e) {
      throw new LocalStackException("Cannot prepare the class archive " + recording, e);
    }
  }

  /**
   * Takes over what an ended run recorded.
   *
   * @param complete false drops it: a killed JVM may have left half an archive
   */
  void finish(boolean complete) {
    try {
      if (complete && Files.exists(recording)) {
        Files.move(recording, file, StandardCopyOption.ATOMIC_MOVE);
      } else {
        Files.deleteIfExists(recording);
      }
    } catch (IOException e) {
      throw new LocalStackException("Cannot keep the class archive " + file, e);
    }
  }

  /** The JVM refuses an archive when a jar has changed; then a new one is needed. */
  private static String fingerprint(List<Path> jars) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(System.getProperty("java.vm.version").getBytes(StandardCharsets.UTF_8));
      for (Path jar : jars) {
        String line =
            "%s %d %d\n".formatted(jar, Files.size(jar), Files.getLastModifiedTime(jar).toMillis());
        digest.update(line.getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new LocalStackException("Cannot read the jars " + jars, e);
    }
  }
}
