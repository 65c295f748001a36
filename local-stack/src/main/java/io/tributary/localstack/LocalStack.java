package io.tributary.localstack;

import io.tributary.localstack.proxy.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * MariaDB servers, Kafka, ZooKeeper, a Hive metastore and a Flink cluster on 127.0.0.1, each a
 * process of its own that lives exactly as long as this object's JVM, or until {@link #close()}.
 * Processes that end by themselves are started again.
 */
public final class LocalStack implements AutoCloseable {

  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(15);

  private final LocalStackConfig config;
  private final StackFolder folder;
  private final Consumer<String> progress;
  private final FileChannel lockChannel;
  private final FileLock lock;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(runnable -> daemon("restarts", runnable));
  // Guarded by this. Insertion order is start order.
  private final Map<String, SupervisedProcess> processes = new LinkedHashMap<>();
  private final Thread shutdownHook = new Thread(this::closeOnExit, "local-stack-shutdown");
  private boolean closed;
  private StackFile stackFile;

  private LocalStack(
      LocalStackConfig config,
      StackFolder folder,
      Consumer<String> progress,
      FileChannel lockChannel,
      FileLock lock) {
    this.config = config;
    this.folder = folder;
    this.progress = progress;
    this.lockChannel = lockChannel;
    this.lock = lock;
  }

  /** {@link #start(LocalStackConfig, Consumer)} without progress. */
  public static LocalStack start(LocalStackConfig config) {
    return start(config, line -> {});
  }

  /**
   * Starts a stack and returns when every service answers. On data of an earlier run it continues,
   * on the same ports where they are free.
   *
   * @param progress takes one line for each service that is up, and for each that had to be started
   *     again later; called from several threads
   * @throws LocalStackException with the end of a service's log when it does not come up; nothing
   *     is left running then
   */
  public static LocalStack start(LocalStackConfig config, Consumer<String> progress) {
    StackFolder folder = new StackFolder(config.folder());
    folder.create();
    LocalStack stack = lock(config, folder, progress);
    try {
      Runtime.getRuntime().addShutdownHook(stack.shutdownHook);
      stack.startServices();
      return stack;
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  /**
   * Finds a stack that another process started in this folder.
   *
   * @throws LocalStackException when there is none, or its supervisor is gone
   */
  public static AttachedStack attach(Path folder) {
    return AttachedStack.find(folder);
  }

  public StackEndpoints endpoints() {
    synchronized (this) {
      return stackFile.endpoints();
    }
  }

  /** The folder with data, logs and secrets. */
  public Path folder() {
    return folder.root();
  }

  public Path logs() {
    return folder.logs();
  }

  /** Names of all processes in the order of their start. */
  public synchronized List<String> processNames() {
    return List.copyOf(processes.keySet());
  }

  /**
   * One of the processes, such as {@code taskmanager-1}, {@code jobmanager}, {@code mariadb-2},
   * {@code kafka}, {@code zookeeper} or {@code metastore}.
   */
  public StackProcess process(String name) {
    supervised(name);
    return new StackProcess(name, folder);
  }

  /**
   * Opens a proxy in front of {@code kafka}, {@code metastore}, {@code zookeeper} or one of the
   * {@code mariadb-N}, for clients that are given its address in place of the server's. Kafka tells
   * those that come by the proxy to stay on it, which is why there is one for Kafka at a time.
   */
  public FaultProxy openProxy(String process) {
    supervised(process);
    Map<String, Integer> ports;
    synchronized (this) {
      ports = stackFile.ports();
    }
    Integer target = ports.get(process);
    if (target == null) {
      throw new IllegalArgumentException(
          "Cannot open a proxy: expected a server that clients connect to, found " + process);
    }
    return process.equals(KafkaService.NAME)
        ? FaultProxy.at(ports.get(KafkaService.PROXY), ports.get(KafkaService.PROXIED))
        : FaultProxy.to(target);
  }

  /** Ends a process and keeps it down until {@link #startProcess}. */
  public void stopProcess(String name) {
    supervised(name).stop();
  }

  /** Starts a process again after {@link #stopProcess} and waits until it answers. */
  public void startProcess(String name) {
    SupervisedProcess process = supervised(name);
    process.start();
    process.superviseNow();
    process.awaitReady(config.startTimeout());
  }

  /** Ends a process in order and starts it again. */
  public void restartProcess(String name) {
    stopProcess(name);
    startProcess(name);
  }

  /** Waits until a process, killed a moment ago, answers again. */
  public void awaitProcess(String name) {
    supervised(name).awaitReady(config.startTimeout());
  }

  /** Whether all processes run; one that is between its end and its new start does not. */
  public synchronized boolean isAlive() {
    return !closed && processes.values().stream().allMatch(SupervisedProcess::isRunning);
  }

  /** Flink's own command line against this stack's cluster. */
  public FlinkCli flinkCli() {
    return new FlinkCli(endpoints().flink(), folder, config.recordClasses().ofJobs());
  }

  public FlinkRest flinkRest() {
    return new FlinkRest(endpoints().flink().webUi());
  }

  /** Ends all processes, Flink first, and waits until they are gone. Does nothing when repeated. */
  @Override
  public void close() {
    closeNow();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook runs or has run.
    }
  }

  private void closeOnExit() {
    closeNow();
  }

  private void closeNow() {
    List<SupervisedProcess> all;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      all = new ArrayList<>(processes.values());
    }
    scheduler.shutdownNow();
    // Consumers before the services they hold connections to: fewer errors in their logs.
    stopTogether(all.stream().filter(LocalStack::isFlink).toList());
    stopTogether(all.stream().filter(process -> !isFlink(process)).toList());
    synchronized (this) {
      if (stackFile != null) {
        stackFile.withState(StackFile.State.STOPPED).write(folder.stackFile());
      }
    }
    try {
      lock.release();
      lockChannel.close();
    } catch (IOException e) {
      throw new LocalStackException("Cannot release " + folder.lockFile(), e);
    }
  }

  private static boolean isFlink(SupervisedProcess process) {
    String name = process.spec().name();
    return name.startsWith("taskmanager") || name.equals("jobmanager");
  }

  private static void stopTogether(List<SupervisedProcess> processes) {
    List<Thread> threads =
        processes.stream()
            .map(process -> daemon("stop-" + process.spec().name(), process::stop))
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          // Leaving half of the processes behind would be worse than coming late.
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static LocalStack lock(
      LocalStackConfig config, StackFolder folder, Consumer<String> progress) {
    try {
      FileChannel channel =
          FileChannel.open(folder.lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock;
      try {
        lock = channel.tryLock();
      } catch (OverlappingFileLockException e) {
        lock = null;
      }
      if (lock == null) {
        channel.close();
        throw new LocalStackException(
            "Cannot start a local stack in %s: expected no other one there, found one that runs"
                .formatted(folder.root()));
      }
      return new LocalStack(config, folder, progress, channel, lock);
    } catch (IOException e) {
      throw new LocalStackException("Cannot lock " + folder.lockFile(), e);
    }
  }

  private void startServices() {
    endLeftovers();
    Map<String, Integer> lastPorts = Map.of();
    if (config.wipe()) {
      folder.wipe();
      folder.create();
    } else {
      lastPorts = StackFile.read(folder.stackFile()).map(StackFile::ports).orElse(Map.of());
    }
    folder.emptyTmp();
    GuardedProcess.writeScript(folder);
    Path logging = ServiceLogging.writeForServices(folder);
    Installation installation = Installation.find();
    SecureRandom random = new SecureRandom();
    Ports ports = new Ports(lastPorts, random);

    // Each task prepares, starts and awaits one service; all run side by side.
    Map<String, Runnable> starts = new LinkedHashMap<>();
    List<ServiceSpec> specs = new ArrayList<>();

    String zooKeeperAddress = null;
    if (config.services().contains(Service.ZOOKEEPER)) {
      ZooKeeperService zooKeeper =
          new ZooKeeperService(
              folder,
              installation,
              config.recordClasses().ofServices(),
              config.zooKeeperOptions(),
              ports);
      zooKeeperAddress = zooKeeper.connectString();
      add(specs, starts, zooKeeper.spec(logging), () -> {});
    }
    StackEndpoints.Flink flinkEndpoint = null;
    if (config.services().contains(Service.FLINK)) {
      FlinkService flink = new FlinkService(folder, installation, config, zooKeeperAddress, ports);
      flinkEndpoint = flink.endpoint();
      flink.specs().forEach(spec -> add(specs, starts, spec, () -> {}));
    }
    String metastoreUri = null;
    URI warehouse = null;
    if (config.services().contains(Service.METASTORE)) {
      MetastoreService metastore =
          new MetastoreService(folder, installation, config.recordClasses().ofServices(), ports);
      metastoreUri = metastore.uri();
      warehouse = metastore.warehouse();
      add(specs, starts, metastore.spec(logging), () -> metastore.prepare(logging));
    }
    String bootstrapServers = null;
    if (config.services().contains(Service.KAFKA)) {
      KafkaService kafka =
          new KafkaService(folder, installation, config.recordClasses().ofServices(), ports);
      bootstrapServers = kafka.bootstrapServers();
      add(specs, starts, kafka.spec(logging, random), () -> {});
    }
    List<StackEndpoints.MariaDb> mariaDbEndpoints = new ArrayList<>();
    if (config.services().contains(Service.MARIADB)) {
      for (int number = 1; number <= config.mariaDbServers(); number++) {
        MariaDbService mariaDb =
            new MariaDbService(number, folder, installation, config.mariaDbOptions(), ports);
        mariaDbEndpoints.add(mariaDb.endpoint());
        add(specs, starts, mariaDb.spec(), () -> mariaDb.prepare(random));
      }
    }
    StackFile file =
        new StackFile(
            StackFile.State.STARTING,
            ProcessIdentity.ofThisJvm(),
            specs.stream().map(ServiceSpec::name).toList(),
            ports.given(),
            new StackEndpoints(
                mariaDbEndpoints,
                bootstrapServers,
                zooKeeperAddress,
                metastoreUri,
                warehouse,
                flinkEndpoint));
    synchronized (this) {
      stackFile = file;
    }
    file.write(folder.stackFile());
    runAll(starts);
    synchronized (this) {
      processes.values().forEach(SupervisedProcess::superviseNow);
    }
    file.withState(StackFile.State.UP).write(folder.stackFile());
  }

  private void add(
      List<ServiceSpec> specs, Map<String, Runnable> starts, ServiceSpec spec, Runnable prepare) {
    ServiceSpec own =
        spec.withEnvironment(config.environments().getOrDefault(spec.name(), Map.of()));
    SupervisedProcess process = new SupervisedProcess(own, folder, scheduler, progress);
    specs.add(own);
    starts.put(
        spec.name(),
        () -> {
          long begin = System.nanoTime();
          prepare.run();
          synchronized (this) {
            if (closed) {
              return;
            }
            processes.put(spec.name(), process);
            process.start();
          }
          process.awaitReady(config.startTimeout());
          progress.accept(
              "%s is up (%.1f s)".formatted(spec.name(), (System.nanoTime() - begin) / 1e9));
        });
  }

  private static void runAll(Map<String, Runnable> starts) {
    ExecutorService executor =
        Executors.newFixedThreadPool(starts.size(), runnable -> daemon("start", runnable));
    try {
      List<Future<?>> futures = new ArrayList<>();
      starts.values().forEach(start -> futures.add(executor.submit(start)));
      for (Future<?> future : futures) {
        future.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof LocalStackException cause
          ? cause
          : new LocalStackException("Cannot start the local stack", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException("Cannot start the local stack: interrupted", e);
    } finally {
      executor.shutdownNow();
    }
  }

  /** Processes of a stack whose supervisor died a moment ago are about to end by themselves. */
  private void endLeftovers() {
    List<ProcessIdentity> leftovers = leftovers(folder);
    long deadline = System.nanoTime() + LEFTOVER_GRACE.toNanos();
    while (!leftovers.isEmpty()) {
      if (System.nanoTime() > deadline) {
        leftovers.forEach(process -> process.signal("KILL"));
      }
      try {
        TimeUnit.MILLISECONDS.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LocalStackException("Cannot start the local stack: interrupted", e);
      }
      leftovers = leftovers(folder);
    }
  }

  static List<ProcessIdentity> leftovers(StackFolder folder) {
    return folder.pidFiles().stream()
        .flatMap(file -> ProcessIdentity.read(file).stream())
        .filter(ProcessIdentity::isAlive)
        .toList();
  }

  private SupervisedProcess supervised(String name) {
    synchronized (this) {
      SupervisedProcess process = processes.get(name);
      if (process == null) {
        throw new IllegalArgumentException(
            "Cannot find a process of the local stack: expected one of %s, found %s"
                .formatted(Collections.unmodifiableSet(processes.keySet()), name));
      }
      return process;
    }
  }

  private static Thread daemon(String name, Runnable runnable) {
    Thread thread = new Thread(runnable, "local-stack-" + name);
    thread.setDaemon(true);
    return thread;
  }
}
