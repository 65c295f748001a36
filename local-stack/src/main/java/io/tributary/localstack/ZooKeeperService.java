package io.tributary.localstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One ZooKeeper server. */
final class ZooKeeperService {

  static final String NAME = "zookeeper";

  private final StackFolder folder;
  private final Installation installation;
  private final boolean recordClasses;
  private final List<String> extraOptions;
  private final int port;

  ZooKeeperService(
      StackFolder folder,
      Installation installation,
      boolean recordClasses,
      List<String> extraOptions,
      Ports ports) {
    this.folder = folder;
    this.installation = installation;
    this.recordClasses = recordClasses;
    this.extraOptions = extraOptions;
    this.port = ports.port(NAME);
  }

  String connectString() {
    return "127.0.0.1:" + port;
  }

  ServiceSpec spec(Path logging) {
    Path properties = folder.conf().resolve("zoo.cfg");
    StackFolder.write(
        properties,
        """
        dataDir=%s
        clientPort=%d
        clientPortAddress=127.0.0.1
        tickTime=1000
        maxClientCnxns=0
        admin.enableServer=false
        4lw.commands.whitelist=ruok,srvr
        forceSync=no
        %s
        """
            .formatted(folder.data(NAME), port, String.join("\n", extraOptions)));
    Path log = folder.log(NAME + ".log");
    ClassArchive archive =
        installation.archive(
            NAME, installation.serviceJars(), Integer.toString(port), recordClasses);
    List<String> command =
        new JavaCommand()
            .options(archive.javaOptions())
            .option("-Xmx128m")
            .option("-XX:+UseSerialGC")
            .quickStart()
            .option("-XX:-UsePerfData")
            .option("-Dzookeeper.jmx.log4j.disable=true")
            .temporaryFilesIn(folder)
            .option("-Dlog4j2.configurationFile=" + logging.toUri())
            .jars(installation.serviceJars())
            .main("org.apache.zookeeper.server.ZooKeeperServerMain", properties.toString());
    return new ServiceSpec(
        NAME,
        command,
        Map.of(),
        folder.root(),
        log,
        List.of(log),
        Duration.ofSeconds(3),
        () -> Sockets.ask(port, "ruok").equals("imok"),
        Optional.of(archive).filter(ClassArchive::records));
  }
}
