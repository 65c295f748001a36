package io.tributary.loadtests.chaos;

import io.tributary.loadtests.chaos.FaultRecord.Flight;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Finds moments at which a round or a checkpoint is under way. For any thread. */
final class FlightWatch {
  /** Rounds and checkpoints come every few seconds, unless something is away. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Duration LOOK = Duration.ofMillis(20);

  /** Stands near the beginning of the request that swaps the table's metadata. */
  private static final String SWAP = "alter_table";

  private final FaultProxy metastore;
  private final Jobs jobs;

  FlightWatch(FaultProxy metastore, Jobs jobs) {
    this.metastore = metastore;
    this.jobs = jobs;
  }

  /** A moment that lasts until it is closed, if it can be made to. */
  static final class Moment implements AutoCloseable {
    private final Optional<Flight> flight;
    private final Optional<Trap> trap;

    private Moment(Optional<Flight> flight, Optional<Trap> trap) {
      this.flight = flight;
      this.trap = trap;
    }

    Optional<Flight> flight() {
      return flight;
    }

    @Override
    public void close() {
      trap.ifPresent(Trap::release);
    }
  }

  /** Any moment: now. */
  static Moment now() {
    return new Moment(Optional.empty(), Optional.empty());
  }

  /**
   * Waits for the moment; after a while any moment will do. The answer to a swap is held back until
   * the moment is closed, so that the round is under way for certain.
   */
  Moment await(Flight wanted) throws InterruptedException {
    return wanted == Flight.ROUND ? awaitRound() : awaitCheckpoint();
  }

  private Moment awaitRound() throws InterruptedException {
    Trap trap = metastore.trap(Fault.HOLD_REPLY, SWAP);
    try {
      trap.awaitHit(PATIENCE);
      return new Moment(Optional.of(Flight.ROUND), Optional.of(trap));
    } catch (TimeoutException e) {
      trap.release();
      return now();
    } catch (InterruptedException e) {
      trap.release();
      throw e;
    }
  }

  private Moment awaitCheckpoint() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      if (jobs.isCheckpointing()) {
        return new Moment(Optional.of(Flight.CHECKPOINT), Optional.empty());
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    return now();
  }
}
