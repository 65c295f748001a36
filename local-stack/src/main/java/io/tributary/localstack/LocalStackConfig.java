package io.tributary.localstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a local stack consists of and where it keeps its files.
 *
 * @param folder holds data, logs, configuration and secrets of this stack; created if missing
 * @param services the kinds of services to run; Flink brings ZooKeeper along
 * @param mariaDbServers number of MariaDB servers, 1 to 16
 * @param taskManagers number of Flink TaskManagers, 1 to 32
 * @param slotsPerTaskManager task slots of each TaskManager, 1 to 64
 * @param taskManagerHeapMb Java heap of each TaskManager in MiB, 256 to 65536
 * @param flinkOptions Flink options that replace or extend the stack's own
 * @param mariaDbOptions options for every MariaDB server, each as {@code --name=value}
 * @param zooKeeperOptions lines of ZooKeeper's configuration, each as {@code name=value}
 * @param environments by process, such as {@code mariadb-2}: variables added to its environment
 * @param wipe whether to delete the data of an earlier run in the folder first
 * @param recordClasses which missing class archives to record, which let later stacks of this
 *     checkout start on half of the processor time
 * @param startTimeout how long a service may take until it answers; positive
 */
public record LocalStackConfig(
    Path folder,
    Set<Service> services,
    int mariaDbServers,
    int taskManagers,
    int slotsPerTaskManager,
    int taskManagerHeapMb,
    Map<String, String> flinkOptions,
    List<String> mariaDbOptions,
    List<String> zooKeeperOptions,
    Map<String, Map<String, String>> environments,
    boolean wipe,
    ClassRecording recordClasses,
    Duration startTimeout) {

  public LocalStackConfig {
    folder = folder.toAbsolutePath().normalize();
    if (services.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot configure a local stack: expected at least one service, found none");
    }
    EnumSet<Service> all = EnumSet.copyOf(services);
    if (all.contains(Service.FLINK)) {
      all.add(Service.ZOOKEEPER);
    }
    services = Collections.unmodifiableSet(all);
    requireRange("MariaDB servers", mariaDbServers, 1, 16);
    requireRange("TaskManagers", taskManagers, 1, 32);
    requireRange("slots per TaskManager", slotsPerTaskManager, 1, 64);
    requireRange("MiB of TaskManager heap", taskManagerHeapMb, 256, 65536);
    flinkOptions = Collections.unmodifiableMap(new TreeMap<>(flinkOptions));
    mariaDbOptions = List.copyOf(mariaDbOptions);
    zooKeeperOptions = List.copyOf(zooKeeperOptions);
    Map<String, Map<String, String>> copied = new TreeMap<>();
    environments.forEach((process, variables) -> copied.put(process, Map.copyOf(variables)));
    environments = Collections.unmodifiableMap(copied);
    for (String option : mariaDbOptions) {
      if (!option.startsWith("--")) {
        throw new IllegalArgumentException(
            "Cannot configure a local stack: expected a MariaDB option like --name=value, found "
                + option);
      }
    }
    Objects.requireNonNull(startTimeout, "startTimeout");
    if (startTimeout.isNegative() || startTimeout.isZero()) {
      throw new IllegalArgumentException(
          "Cannot configure a local stack: expected a positive start timeout, found "
              + startTimeout);
    }
  }

  /** All services, 2 MariaDB servers, 3 TaskManagers with 4 slots each, in the given folder. */
  public static LocalStackConfig in(Path folder) {
    return new LocalStackConfig(
        folder,
        EnumSet.allOf(Service.class),
        2,
        3,
        4,
        768,
        Map.of(),
        List.of(),
        List.of(),
        Map.of(),
        false,
        ClassRecording.NOTHING,
        Duration.ofMinutes(3));
  }

  /** {@link #in(Path)} with the folder {@code .tributary} of the checkout. */
  public static LocalStackConfig inCheckout() {
    return in(Installation.find().defaultFolder());
  }

  /** The same stack with no other services than these (Flink brings ZooKeeper along). */
  public LocalStackConfig withOnly(Service... only) {
    return new LocalStackConfig(
        folder,
        only.length == 0 ? Set.of() : EnumSet.copyOf(Arrays.asList(only)),
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  public LocalStackConfig withMariaDbServers(int count) {
    return new LocalStackConfig(
        folder,
        services,
        count,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  public LocalStackConfig withTaskManagers(int count, int slotsEach) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        count,
        slotsEach,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  public LocalStackConfig withTaskManagerHeapMb(int heapMb) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        heapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  /** The same stack with these Flink options added to (or in place of) the given ones. */
  public LocalStackConfig withFlinkOptions(Map<String, String> options) {
    Map<String, String> merged = new TreeMap<>(flinkOptions);
    merged.putAll(options);
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        merged,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  public LocalStackConfig withMariaDbOptions(String... options) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        List.of(options),
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  public LocalStackConfig withZooKeeperOptions(String... options) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        List.of(options),
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }

  /** The same stack with these variables in the environment of one process. */
  public LocalStackConfig withEnvironment(String process, Map<String, String> variables) {
    Map<String, Map<String, String>> merged = new TreeMap<>(environments);
    merged.put(process, variables);
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        merged,
        wipe,
        recordClasses,
        startTimeout);
  }

  /** The same stack, with the data of an earlier run in the folder deleted first or kept. */
  public LocalStackConfig withWipe(boolean wipeFirst) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipeFirst,
        recordClasses,
        startTimeout);
  }

  public LocalStackConfig withRecordClasses(ClassRecording record) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        record,
        startTimeout);
  }

  public LocalStackConfig withStartTimeout(Duration timeout) {
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slotsPerTaskManager,
        taskManagerHeapMb,
        flinkOptions,
        mariaDbOptions,
        zooKeeperOptions,
        environments,
        wipe,
        recordClasses,
        timeout);
  }

  private static void requireRange(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "Cannot configure a local stack: expected %d to %d %s, found %d"
              .formatted(min, max, what, value));
    }
  }
}
