package io.tributary.localstack;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One Hive metastore with its database and its warehouse in the stack's data folder. */
final class MetastoreService {

  static final String NAME = "metastore";
  private static final String MAIN = "io.tributary.localstack.server.MetastoreMain";

  private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(3);

  private final StackFolder folder;
  private final Installation installation;
  private final boolean recordClasses;
  private final int port;

  MetastoreService(
      StackFolder folder, Installation installation, boolean recordClasses, Ports ports) {
    this.folder = folder;
    this.installation = installation;
    this.recordClasses = recordClasses;
    this.port = ports.port(NAME);
  }

  String uri() {
    return uri(port);
  }

  static String uri(int port) {
    return "thrift://127.0.0.1:" + port;
  }

  URI warehouse() {
    return URI.create(
        "file://" + folder.data("warehouse").toUri().getRawPath().replaceAll("/$", ""));
  }

  /** Makes the warehouse and the database where they are missing. */
  void prepare(Path logging) {
    try {
      Files.createDirectories(folder.data("warehouse"));
      Files.createDirectories(folder.data(NAME));
    } catch (IOException e) {
      throw new LocalStackException("Cannot make the folders of the metastore", e);
    }
    Path database = database();
    if (!Files.exists(database)) {
      Path template = installation.templates().resolve(NAME);
      Template.ensure(template, () -> makeTemplate(template, logging));
      StackFolder.copyTree(template, database);
    }
  }

  ServiceSpec spec(Path logging) {
    Path log = folder.log(NAME + ".log");
    ClassArchive archive =
        installation.archive(
            NAME, installation.serviceJars(), Integer.toString(port), recordClasses);
    return new ServiceSpec(
        NAME,
        java(logging)
            .options(archive.javaOptions())
            .main(MAIN, Integer.toString(port), warehouse().toString(), database().toString()),
        Map.of(),
        folder.root(),
        log,
        List.of(log),
        Duration.ofSeconds(5),
        () -> Sockets.accepts(port),
        Optional.of(archive).filter(ClassArchive::records));
  }

  private Path database() {
    return folder.data(NAME).resolve("derby");
  }

  private JavaCommand java(Path logging) {
    return new JavaCommand()
        .option("-Xmx384m")
        .option("-XX:+UseSerialGC")
        .quickStart()
        .option("-XX:-UsePerfData")
        .option("--add-opens=java.base/java.net=ALL-UNNAMED")
        .option("-Dderby.stream.error.file=" + folder.log("derby.log"))
        .temporaryFilesIn(folder)
        .option("-Dlog4j2.configurationFile=" + logging.toUri())
        .jars(installation.serviceJars());
  }

  /** An empty database; making one takes several seconds, copying it none. */
  private void makeTemplate(Path template, Path logging) {
    Path log = folder.log("metastore-install.log");
    try {
      Path fresh = Files.createTempDirectory(template.getParent(), "metastore-");
      GuardedProcess install =
          GuardedProcess.start(
              folder,
              NAME + "-install",
              java(logging).main(MAIN, "--make-database", fresh.resolve("derby").toString()),
              Map.of(),
              folder.root(),
              log,
              Duration.ofSeconds(2));
      if (!install.await(INSTALL_TIMEOUT) || install.exitValue() != 0) {
        throw new LocalStackException(
            "Cannot make the metastore's database: expected code 0 within %d s, found %d%s"
                .formatted(
                    INSTALL_TIMEOUT.toSeconds(),
                    install.exitValue(),
                    StackFolder.tail(List.of(log))));
      }
      Files.move(fresh.resolve("derby"), template, StandardCopyOption.ATOMIC_MOVE);
      StackFolder.deleteTree(fresh);
    } catch (IOException e) {
      throw new LocalStackException("Cannot make the metastore's database in " + template, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException("Cannot make the metastore's database: interrupted", e);
    }
  }
}
