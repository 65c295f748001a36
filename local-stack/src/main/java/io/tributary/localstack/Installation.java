package io.tributary.localstack;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where the build put the programs of the services.
 *
 * @param checkout the root folder of the checkout
 */
record Installation(Path checkout) {

  /** Names the checkout when it cannot be found from the classes' place or the working folder. */
  static final String CHECKOUT_PROPERTY = "tributary.checkout";

  private static final Path MARK = Path.of("flink-home", "pom.xml");
  private static final Path SERVICES = Path.of("local-stack", "target", "services");

  /**
   * The checkout named by the system property {@value #CHECKOUT_PROPERTY}, else the one above this
   * class's own folder or jar, else the one above the working folder.
   */
  static Installation find() {
    String named = System.getProperty(CHECKOUT_PROPERTY);
    if (named != null) {
      Path checkout = Path.of(named).toAbsolutePath().normalize();
      if (!Files.exists(checkout.resolve(MARK))) {
        throw new LocalStackException(
            "Cannot find the checkout: expected %s below the folder of the system property %s, found none in %s"
                .formatted(MARK, CHECKOUT_PROPERTY, checkout));
      }
      return new Installation(checkout);
    }
    return above(ownPlace())
        .or(() -> above(Path.of("").toAbsolutePath()))
        .map(Installation::new)
        .orElseThrow(
            () ->
                new LocalStackException(
                    "Cannot find the checkout: expected it above %s or above the working folder, found none; set the system property %s"
                        .formatted(ownPlace(), CHECKOUT_PROPERTY)));
  }

  private static Optional<Path> above(Path start) {
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve(MARK))) {
        return Optional.of(folder);
      }
    }
    return Optional.empty();
  }

  /** The folder or jar that this class was loaded from. */
  static Path ownPlace() {
    CodeSource source = Installation.class.getProtectionDomain().getCodeSource();
    try {
      return Path.of(source.getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new LocalStackException(
          "Cannot find the checkout: expected a file as the place of this class, found "
              + source.getLocation(),
          e);
    }
  }

  Path defaultFolder() {
    return checkout.resolve(".tributary");
  }

  /** The lib/ folder of the Flink cluster. */
  Path flinkLib() {
    return built(Path.of("flink-home", "target", "flink", "lib"), "flink-home");
  }

  /** The classpath of the Flink cluster: its lib/ folder behind what this stack adds to it. */
  List<Path> flinkJars() {
    return Stream.of(hadoopJars(), JavaCommand.jarsIn(flinkLib())).flatMap(List::stream).toList();
  }

  /** The classpath of Kafka, ZooKeeper and the Hive metastore. */
  List<Path> serviceJars() {
    return JavaCommand.jarsIn(built(SERVICES.resolve("lib"), "local-stack"));
  }

  /** Hadoop's settings for the files of this stack, and the class that they name. */
  private List<Path> hadoopJars() {
    return JavaCommand.jarsIn(built(SERVICES.resolve("hadoop"), "local-stack"));
  }

  Path mariaDb() {
    return built(SERVICES.resolve("mariadb"), "local-stack");
  }

  /** Data folders that are made once and copied for each new stack; safe to delete. */
  Path templates() {
    return checkout.resolve(SERVICES.resolve("templates"));
  }

  ClassArchive archive(String kind, List<Path> jars, String run, boolean record) {
    return ClassArchive.of(classArchives(), kind, jars, run, record);
  }

  Path classArchives() {
    return templates().resolve("classes");
  }

  private Path built(Path relative, String module) {
    Path folder = checkout.resolve(relative);
    if (!Files.isDirectory(folder)) {
      throw new LocalStackException(
          "Cannot start a local stack: expected the folder %s, found none; build it with: mvn -pl %s -am package"
              .formatted(folder, module));
    }
    return folder;
  }
}
