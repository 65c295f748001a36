package io.tributary.cli;

import io.tributary.localstack.LocalStackConfig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * A job as it is submitted.
 *
 * @param jar the thin jar
 * @param mainClass from its manifest
 */
public record JobJar(Path jar, String mainClass) {
  /** The job that reads one group's shards. */
  public static JobJar ingest() {
    return find("ingest-job");
  }

  /** The job that commits. */
  public static JobJar coordinator() {
    return find("coordinator");
  }

  private static JobJar find(String module) {
    Path folder = checkout().resolve(module).resolve("target");
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*-job.jar")) {
      found.forEach(jars::add);
    } catch (NoSuchFileException e) {
      // Said below, as if the folder were empty.
      jars.clear();
    } catch (IOException e) {
      throw new CliException(ExitCode.FAILED, "Cannot look for the job's jar in " + folder, e);
    }
    if (jars.size() != 1) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot submit a job: expected one *-job.jar in %s, found %d; build it with: mvn -DskipTests package"
              .formatted(folder, jars.size()));
    }
    return of(jars.get(0));
  }

  /**
   * A job in this jar.
   *
   * @throws CliException when its manifest names no main class
   */
  public static JobJar of(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String main =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      if (main == null) {
        throw new CliException(
            ExitCode.FAILED,
            "Cannot submit %s: expected a Main-Class in its manifest, found none".formatted(jar));
      }
      return new JobJar(jar, main);
    } catch (IOException e) {
      throw new CliException(ExitCode.FAILED, "Cannot read " + jar, e);
    }
  }

  private static Path checkout() {
    return LocalStackConfig.inCheckout().folder().getParent();
  }
}
