package io.tributary.localstack;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * The local stack from a shell.
 *
 * <pre>
 * start   starts a stack that stays, and returns when it is up
 * serve   starts a stack and holds it up until this process ends
 * status  prints what runs where
 * stop    ends the stack
 *
 * --folder F            default: .tributary in the checkout
 * --services A,B        default: all of mariadb,kafka,zookeeper,metastore,flink
 * --mariadb-servers N   --task-managers N   --slots N   --task-manager-heap-mb N
 * --flink NAME=VALUE    --mariadb --NAME=VALUE   --zookeeper NAME=VALUE
 * --environment PROCESS:NAME=VALUE                                        (all may be repeated)
 * --wipe                starts without the data of an earlier run
 * --record-classes W    NOTHING (default), SERVICES or SERVICES_AND_JOBS: makes later stacks start
 *                       faster, and the end of this one slower
 * --start-timeout S     seconds that a service may take until it answers
 * </pre>
 */
public final class LocalStackMain {

  private LocalStackMain() {}

  public static void main(String[] args) throws InterruptedException {
    try {
      System.exit(run(args));
    } catch (LocalStackException | IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static int run(String[] args) throws InterruptedException {
    String verb = args.length == 0 ? "" : args[0];
    LocalStackConfig config =
        parse(verb.isEmpty() ? List.of() : Arrays.asList(args).subList(1, args.length));
    switch (verb) {
      case "start" -> {
        print(DetachedStart.start(config, System.out::println));
        return 0;
      }
      case "serve" -> {
        try (LocalStack stack = LocalStack.start(config, System.out::println)) {
          System.out.println("The local stack in " + stack.folder() + " is up.");
          // Until a signal ends this JVM; its shutdown hook ends the services.
          new CountDownLatch(1).await();
        }
        return 0;
      }
      case "status" -> {
        var stack = AttachedStack.findRunning(config.folder());
        if (stack.isEmpty()) {
          System.out.println("No local stack runs in " + config.folder());
          return 1;
        }
        print(stack.get());
        return stack.get().isAlive() ? 0 : 1;
      }
      case "stop" -> {
        AttachedStack.findSupervised(config.folder())
            .orElseThrow(
                () ->
                    new LocalStackException(
                        "Cannot stop the local stack in %s: expected one that runs, found none"
                            .formatted(config.folder())))
            .stop();
        System.out.println("Stopped the local stack in " + config.folder());
        return 0;
      }
      default ->
          throw new IllegalArgumentException(
              "Cannot run: expected start, serve, status or stop, found \"%s\"".formatted(verb));
    }
  }

  private static void print(AttachedStack stack) {
    System.out.println("supervisor (pid " + stack.supervisorPid() + ")");
    stack.processNames().forEach(name -> System.out.println(stack.process(name)));
    System.out.println("Details: " + stack.folder().resolve("stack.json"));
    if (stack.endpoints().has(Service.FLINK)) {
      System.out.println("Flink's web UI: " + stack.endpoints().flink().webUi());
    }
  }

  /** Arguments by which {@link #main} runs this very configuration in the foreground. */
  static List<String> serveArguments(LocalStackConfig config) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "serve",
                "--folder",
                config.folder().toString(),
                "--services",
                config.services().stream()
                    .map(service -> service.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(",")),
                "--mariadb-servers",
                Integer.toString(config.mariaDbServers()),
                "--task-managers",
                Integer.toString(config.taskManagers()),
                "--slots",
                Integer.toString(config.slotsPerTaskManager()),
                "--task-manager-heap-mb",
                Integer.toString(config.taskManagerHeapMb()),
                "--start-timeout",
                Long.toString(config.startTimeout().toSeconds())));
    config
        .flinkOptions()
        .forEach((name, value) -> arguments.addAll(List.of("--flink", name + "=" + value)));
    config.mariaDbOptions().forEach(option -> arguments.addAll(List.of("--mariadb", option)));
    config.zooKeeperOptions().forEach(option -> arguments.addAll(List.of("--zookeeper", option)));
    config
        .environments()
        .forEach(
            (process, variables) ->
                variables.forEach(
                    (name, value) ->
                        arguments.addAll(
                            List.of("--environment", process + ":" + name + "=" + value))));
    if (config.wipe()) {
      arguments.add("--wipe");
    }
    arguments.addAll(List.of("--record-classes", config.recordClasses().name()));
    return arguments;
  }

  static LocalStackConfig parse(List<String> arguments) {
    LocalStackConfig config = LocalStackConfig.inCheckout();
    Path folder = config.folder();
    Set<Service> services = config.services();
    int mariaDbServers = config.mariaDbServers();
    int taskManagers = config.taskManagers();
    int slots = config.slotsPerTaskManager();
    int heapMb = config.taskManagerHeapMb();
    Duration startTimeout = config.startTimeout();
    Map<String, String> flink = new HashMap<>();
    List<String> mariaDb = new ArrayList<>();
    List<String> zooKeeper = new ArrayList<>();
    Map<String, Map<String, String>> environments = new HashMap<>();
    boolean wipe = false;
    ClassRecording recordClasses = config.recordClasses();
    for (int i = 0; i < arguments.size(); i++) {
      String option = arguments.get(i);
      if (option.equals("--wipe")) {
        wipe = true;
        continue;
      }
      if (i + 1 == arguments.size()) {
        throw new IllegalArgumentException(
            "Cannot read the arguments: expected a value behind %s, found none".formatted(option));
      }
      String value = arguments.get(++i);
      switch (option) {
        case "--folder" -> folder = Path.of(value);
        case "--services" ->
            services =
                Arrays.stream(value.split(","))
                    .map(name -> Service.valueOf(name.toUpperCase(Locale.ROOT)))
                    .collect(Collectors.toCollection(() -> EnumSet.noneOf(Service.class)));
        case "--mariadb-servers" -> mariaDbServers = Integer.parseInt(value);
        case "--task-managers" -> taskManagers = Integer.parseInt(value);
        case "--slots" -> slots = Integer.parseInt(value);
        case "--task-manager-heap-mb" -> heapMb = Integer.parseInt(value);
        case "--start-timeout" -> startTimeout = Duration.ofSeconds(Long.parseLong(value));
        case "--record-classes" -> recordClasses = ClassRecording.valueOf(value);
        case "--mariadb" -> mariaDb.add(value);
        case "--zookeeper" -> zooKeeper.add(value);
        case "--environment" -> {
          int colon = value.indexOf(':');
          int equals = value.indexOf('=');
          if (colon < 1 || equals < colon + 2) {
            throw new IllegalArgumentException(
                "Cannot read the arguments: expected --environment PROCESS:NAME=VALUE, found "
                    + value);
          }
          environments
              .computeIfAbsent(value.substring(0, colon), process -> new HashMap<>())
              .put(value.substring(colon + 1, equals), value.substring(equals + 1));
        }
        case "--flink" -> {
          int equals = value.indexOf('=');
          if (equals < 1) {
            throw new IllegalArgumentException(
                "Cannot read the arguments: expected --flink NAME=VALUE, found " + value);
          }
          flink.put(value.substring(0, equals), value.substring(equals + 1));
        }
        default ->
            throw new IllegalArgumentException(
                "Cannot read the arguments: expected an option of the local stack, found "
                    + option);
      }
    }
    return new LocalStackConfig(
        folder,
        services,
        mariaDbServers,
        taskManagers,
        slots,
        heapMb,
        flink,
        mariaDb,
        zooKeeper,
        environments,
        wipe,
        recordClasses,
        startTimeout);
  }
}
