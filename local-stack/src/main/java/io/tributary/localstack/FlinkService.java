package io.tributary.localstack;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** A standalone Flink session cluster with high availability through ZooKeeper. */
final class FlinkService {

  private static final String JOB_MANAGER = "jobmanager";
  private static final String JOB_MANAGER_HEAP = "-Xmx768m";

  /**
   * A JobManager that has lost its ZooKeeper session may live on without ever asking for the
   * leadership again.
   */
  private static final Duration JOB_MANAGER_SILENCE = Duration.ofMinutes(2);

  /**
   * The options that Flink's own default configuration gives to Java 17, and a zone without shifts,
   * in which the MySQL source reads every DATETIME as it is.
   */
  static final List<String> JAVA_OPTIONS =
      List.of(
          "-Duser.timezone=UTC",
          "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
          "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
          "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.text=ALL-UNNAMED",
          "--add-opens=java.base/java.time=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED");

  private final StackFolder folder;
  private final Installation installation;
  private final LocalStackConfig config;
  private final String zooKeeper;
  private final int restPort;
  private final int rpcPort;
  private final FlinkRest rest;

  FlinkService(
      StackFolder folder,
      Installation installation,
      LocalStackConfig config,
      String zooKeeper,
      Ports ports) {
    this.folder = folder;
    this.installation = installation;
    this.config = config;
    this.zooKeeper = zooKeeper;
    this.restPort = ports.port("flink-rest");
    this.rpcPort = ports.port("flink-rpc");
    this.rest = new FlinkRest(webUi());
  }

  StackEndpoints.Flink endpoint() {
    return new StackEndpoints.Flink(webUi(), installation.flinkLib(), clientConf());
  }

  static String taskManagerName(int number) {
    return "taskmanager-" + number;
  }

  /** The JobManager first, then the TaskManagers. */
  List<ServiceSpec> specs() {
    Map<String, String> options = clusterOptions();
    options.putAll(config.flinkOptions());
    writeConf(clusterConf(), options);
    Map<String, String> clientOptions = new TreeMap<>(options);
    // The web address is enough for a client: asking ZooKeeper for it only takes longer.
    clientOptions.keySet().removeIf(name -> name.startsWith("high-availability"));
    writeConf(clientConf(), clientOptions);
    List<ServiceSpec> specs = new ArrayList<>();
    specs.add(jobManager());
    for (int number = 1; number <= config.taskManagers(); number++) {
      specs.add(taskManager(taskManagerName(number)));
    }
    return specs;
  }

  private ServiceSpec jobManager() {
    ClassArchive archive = archive(JOB_MANAGER, config.recordClasses().ofServices());
    return spec(
            JOB_MANAGER,
            java(JOB_MANAGER)
                .options(archive.javaOptions())
                .option(JOB_MANAGER_HEAP)
                .option("-XX:+UseSerialGC")
                .quickStart()
                .option("-XX:MaxMetaspaceSize=384m")
                .main(
                    "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                    "--configDir",
                    clusterConf().toString(),
                    "--executionMode",
                    "cluster"),
            rest::isUp,
            Optional.of(archive).filter(ClassArchive::records))
        .withMostSilence(JOB_MANAGER_SILENCE);
  }

  private ServiceSpec taskManager(String name) {
    // One of them records for all.
    ClassArchive archive =
        archive("taskmanager", config.recordClasses().ofJobs() && name.equals(taskManagerName(1)));
    FlinkMemory memory = FlinkMemory.ofHeap(config.taskManagerHeapMb());
    return spec(
        name,
        java(name)
            .options(archive.javaOptions())
            .options(memory.javaOptions())
            .option("-XX:+UseSerialGC")
            .quickStart()
            .main(
                "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                "--configDir",
                clusterConf().toString(),
                "-D",
                "taskmanager.resource-id=" + name),
        () -> rest.taskManagers().contains(name),
        Optional.of(archive).filter(ClassArchive::records));
  }

  private ServiceSpec spec(
      String name, List<String> command, Callable<Boolean> ready, Optional<ClassArchive> archive) {
    return new ServiceSpec(
        name,
        command,
        Map.of(),
        folder.root(),
        folder.log(name + ".out"),
        List.of(folder.log(name + ".log"), folder.log(name + ".out")),
        Duration.ofSeconds(5),
        ready,
        archive);
  }

  private ClassArchive archive(String kind, boolean record) {
    return installation.archive(kind, installation.flinkJars(), Integer.toString(restPort), record);
  }

  private JavaCommand java(String name) {
    return new JavaCommand()
        .option("-XX:-UsePerfData")
        .options(JAVA_OPTIONS)
        // Of 10 s otherwise, which a busy machine needs for the start of an actor system alone.
        // Flink's own option, pekko.startup-timeout, sets a property that nothing reads.
        .option("-Dpekko.remote.classic.startup-timeout=120s")
        .temporaryFilesIn(folder)
        .option("-Dlog.file=" + folder.log(name + ".log"))
        .option("-Dlog4j2.configurationFile=" + clusterConf().resolve("log4j.properties").toUri())
        .jars(installation.flinkJars());
  }

  private URI webUi() {
    return URI.create("http://127.0.0.1:" + restPort);
  }

  private Path clusterConf() {
    return folder.conf().resolve("flink");
  }

  private Path clientConf() {
    return folder.conf().resolve("flink-client");
  }

  private Map<String, String> clusterOptions() {
    Path data = folder.data("flink");
    Map<String, String> options = new TreeMap<>();
    options.put("jobmanager.rpc.address", "127.0.0.1");
    options.put("jobmanager.rpc.port", Integer.toString(rpcPort));
    options.put("jobmanager.bind-host", "127.0.0.1");
    options.put("taskmanager.host", "127.0.0.1");
    options.put("taskmanager.bind-host", "127.0.0.1");
    options.put("rest.address", "127.0.0.1");
    options.put("rest.bind-address", "127.0.0.1");
    options.put("rest.port", Integer.toString(restPort));
    options.put("rest.bind-port", Integer.toString(restPort));
    options.put("rest.flamegraph.enabled", "true");
    options.put("web.submit.enable", "false");
    options.put("high-availability.type", "zookeeper");
    options.put("high-availability.zookeeper.quorum", zooKeeper);
    options.put("high-availability.zookeeper.path.root", "/flink");
    options.put("high-availability.cluster-id", "/tributary");
    options.put("high-availability.storageDir", data.resolve("ha").toUri().toString());
    options.put("high-availability.jobmanager.port", Integer.toString(rpcPort));
    // A killed JobManager holds its leadership for the rest of its session.
    options.put("high-availability.zookeeper.client.session-timeout", "15 s");
    options.put("high-availability.zookeeper.client.retry-wait", "500 ms");
    options.put("high-availability.zookeeper.client.max-retry-attempts", "20");
    options.put("high-availability.zookeeper.client.tolerate-suspended-connections", "true");
    // A killed process refuses connections and is noticed after two intervals; the timeout is for
    // one that is paused, or starved on a busy machine.
    options.put("heartbeat.interval", "2500 ms");
    options.put("heartbeat.timeout", "40 s");
    options.put("pekko.ask.timeout", "30 s");
    options.put("cluster.registration.error-delay", "1 s");
    options.put("taskmanager.numberOfTaskSlots", Integer.toString(config.slotsPerTaskManager()));
    options.put("taskmanager.load-balance.mode", "SLOTS");
    options.put("execution.checkpointing.dir", data.resolve("checkpoints").toUri().toString());
    options.put(
        "execution.checkpointing.savepoint-dir", data.resolve("savepoints").toUri().toString());
    options.put("execution.checkpointing.num-retained", "3");
    options.put(
        "execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
    options.put("zookeeper.sasl.disable", "true");
    options.put("web.tmpdir", folder.tmp().toString());
    options.put("io.tmp.dirs", folder.tmp().toString());
    options.put("env.log.dir", folder.logs().toString());
    options.put("env.java.opts.all", String.join(" ", JAVA_OPTIONS));
    // Drivers and pools of the libraries in lib/ outlive jobs; the check would end such jobs.
    options.put("classloader.check-leaked-classloader", "false");
    options.putAll(
        FlinkMemory.ofHeap(config.taskManagerHeapMb()).options(config.slotsPerTaskManager()));
    return options;
  }

  private void writeConf(Path conf, Map<String, String> options) {
    StringBuilder yaml = new StringBuilder("# Written anew at each start of the local stack.\n");
    new TreeMap<>(options)
        .forEach(
            (name, value) ->
                yaml.append(name).append(": '").append(value.replace("'", "''")).append("'\n"));
    try {
      Files.createDirectories(conf);
    } catch (IOException e) {
      throw new LocalStackException("Cannot make the folders of Flink in " + folder.root(), e);
    }
    StackFolder.write(conf.resolve("config.yaml"), yaml.toString());
    ServiceLogging.writeForFlink(conf);
  }
}
