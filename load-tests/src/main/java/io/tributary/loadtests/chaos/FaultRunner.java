package io.tributary.loadtests.chaos;

import io.tributary.loadtests.chaos.FaultRecord.Flight;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackException;
import io.tributary.localstack.StackProcess;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does faults, each to its end: until what it was done to is itself again. For several threads; two
 * faults of one target wait for each other.
 */
final class FaultRunner {
  /** How long a job may take to get a TaskManager that can be hit. */
  private static final Duration HOST_PATIENCE = Duration.ofSeconds(15);

  private static final Duration ALIVE_PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(100);

  /** At most so much is added to each request and each answer. */
  private static final int MOST_DELAY_MS = 400;

  private static final int LEAST_DELAY_MS = 50;

  private final ChaosStack stack;
  private final LocalStack local;
  private final Jobs jobs;
  private final FlightWatch flights;
  private final Clock clock;
  private final Map<String, ReentrantLock> targets = new ConcurrentHashMap<>();

  FaultRunner(ChaosStack stack, Jobs jobs, Clock clock) {
    this.stack = stack;
    this.local = stack.local();
    this.jobs = jobs;
    this.flights = new FlightWatch(stack.proxy(ChaosStack.METASTORE), jobs);
    this.clock = clock;
  }

  /** What is left to do after the first strike. */
  @FunctionalInterface
  private interface Rest {
    void run() throws InterruptedException;
  }

  /**
   * @throws InterruptedException when this thread is interrupted; what was paused goes on then
   */
  FaultRecord run(PlannedFault fault) throws InterruptedException {
    String target = target(fault);
    ReentrantLock lock = targets.computeIfAbsent(target, name -> new ReentrantLock());
    lock.lockInterruptibly();
    try {
      Instant begin;
      Optional<Flight> flight;
      Rest rest;
      try (FlightWatch.Moment moment = moment(fault)) {
        begin = clock.instant();
        flight = moment.flight();
        rest = strike(fault, target);
      }
      rest.run();
      return new FaultRecord(fault.number(), fault.kind(), target, flight, begin, clock.instant());
    } finally {
      lock.unlock();
    }
  }

  private FlightWatch.Moment moment(PlannedFault fault) throws InterruptedException {
    if (!fault.strikesInFlight()) {
      return FlightWatch.now();
    }
    return flights.await(
        switch (fault.kind().part()) {
          case INGEST, MARIADB -> Flight.CHECKPOINT;
          case COORDINATOR, METASTORE, KAFKA -> Flight.ROUND;
          case JOBMANAGER, ZOOKEEPER, NETWORK ->
              fault.pick(2) == 0 ? Flight.ROUND : Flight.CHECKPOINT;
        });
  }

  private String target(PlannedFault fault) throws InterruptedException {
    boolean ofJob =
        switch (fault.kind().action()) {
          case RESTART_WITH_STATE, RESTART_WITHOUT_STATE -> true;
          default -> false;
        };
    return switch (fault.kind().part()) {
      case INGEST -> ofJob ? group(fault) : hostOf(group(fault), fault);
      case COORDINATOR -> ofJob ? Jobs.COORDINATOR : hostOf(Jobs.COORDINATOR, fault);
      case JOBMANAGER -> ChaosStack.JOBMANAGER;
      case KAFKA -> ChaosStack.KAFKA;
      case ZOOKEEPER -> ChaosStack.ZOOKEEPER;
      case METASTORE -> ChaosStack.METASTORE;
      case MARIADB -> ChaosStack.mariaDb(1 + fault.pick(2));
      case NETWORK -> "connections to " + proxied(fault);
    };
  }

  private static String group(PlannedFault fault) {
    return ChaosStack.GROUPS.get(fault.pick(ChaosStack.GROUPS.size()));
  }

  private String proxied(PlannedFault fault) {
    return stack.proxied().get(fault.pick(stack.proxied().size()));
  }

  /** The TaskManager that runs a job; any, when the job is not running for too long. */
  private String hostOf(String job, PlannedFault fault) throws InterruptedException {
    long deadline = System.nanoTime() + HOST_PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      Set<String> hosts = jobs.hosts(job);
      if (!hosts.isEmpty()) {
        return hosts.iterator().next();
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    return "taskmanager-" + (1 + fault.pick(ChaosStack.TASK_MANAGERS));
  }

  private Rest strike(PlannedFault fault, String target) throws InterruptedException {
    return switch (fault.kind().action()) {
      case KILL -> {
        awaitAlive(target).kill9();
        yield () -> {
          awaitAlive(target);
          local.awaitProcess(target);
        };
      }
      case PAUSE -> {
        StackProcess process = awaitAlive(target);
        process.pause();
        yield () -> {
          try {
            sleep(fault.length());
          } finally {
            process.resume();
          }
        };
      }
      case HOLD, DROP -> trap(fault);
      case DELAY -> {
        FaultProxy proxy = stack.proxy(proxied(fault));
        Duration delay =
            Duration.ofMillis(LEAST_DELAY_MS + fault.pick(MOST_DELAY_MS - LEAST_DELAY_MS));
        proxy.delay(delay, delay);
        yield () -> {
          try {
            sleep(fault.length());
          } finally {
            proxy.delay(Duration.ZERO, Duration.ZERO);
          }
        };
      }
      case CUT -> {
        FaultProxy proxy = stack.proxy(proxied(fault));
        proxy.refuse(true);
        proxy.cut();
        yield () -> {
          try {
            sleep(fault.length().dividedBy(3));
          } finally {
            proxy.refuse(false);
          }
        };
      }
      case RESTART_WITH_STATE -> () -> jobs.restart(target, true);
      case RESTART_WITHOUT_STATE -> () -> jobs.restart(target, false);
      case OUTAGE -> {
        local.stopProcess(target);
        yield () -> {
          // Not in the end of an interrupted run, which stops everything.
          sleep(ChaosStack.TIMEOUTS.get(target).multipliedBy(3));
          local.startProcess(target);
        };
      }
    };
  }

  private Rest trap(PlannedFault fault) {
    FaultProxy proxy = stack.proxy(proxied(fault));
    boolean requests = fault.pick(2) == 0;
    boolean drops = fault.kind().action() == FaultKind.Action.DROP;
    Trap trap =
        proxy.trap(
            drops
                ? requests ? Fault.DROP_REQUEST : Fault.DROP_REPLY
                : requests ? Fault.HOLD_REQUEST : Fault.HOLD_REPLY,
            "");
    return () -> {
      try {
        sleep(fault.length());
      } finally {
        trap.release();
        if (drops) {
          // What is missing in a stream is never made up for: such a connection is of no use.
          proxy.cut();
        }
      }
    };
  }

  /** The process, as soon as it runs: one that was killed a moment ago is not there yet. */
  private StackProcess awaitAlive(String name) throws InterruptedException {
    StackProcess process = local.process(name);
    await(process::isAlive, name);
    return process;
  }

  private static void await(Callable<Boolean> condition, String name) throws InterruptedException {
    long deadline = System.nanoTime() + ALIVE_PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (Exception e) {
        throw new LocalStackException("Cannot look at " + name, e);
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    throw new LocalStackException(
        "Cannot make a fault: expected %s to run within %d s, found it down"
            .formatted(name, ALIVE_PATIENCE.toSeconds()));
  }

  private static void sleep(Duration length) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(length.toMillis());
  }
}
