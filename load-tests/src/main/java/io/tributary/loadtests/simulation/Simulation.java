package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Members;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One run: three groups and their coordinators on one queue of events, with a few faults; then
 * calm, in which everything must come to rest. The same seed and rules always make the same run.
 */
public final class Simulation {
  private static final int HORIZON = 22_000;
  private static final int PATIENCE = 60_000;
  private static final int SETTLING = 3_000;
  private static final int MOST_EVENTS = 100_000;
  private static final int FAULTS = 6;

  /**
   * What a run came to.
   *
   * @param violation the invariant that did not hold, if one did not
   * @param trace every event and decision; only when asked for
   */
  public record Outcome(
      long seed, Optional<InvariantViolation> violation, Tally tally, List<String> trace) {}

  private final World world;
  private final long seed;

  private Simulation(long seed, Rules rules, boolean tracing) {
    this.seed = seed;
    this.world = new World(seed, rules, tracing);
  }

  /** Runs one seed. */
  public static Outcome run(long seed, Rules rules) {
    return new Simulation(seed, rules, false).run();
  }

  /** Runs one seed again, with its trace. */
  public static Outcome replay(long seed, Rules rules) {
    return new Simulation(seed, rules, true).run();
  }

  private Outcome run() {
    Optional<InvariantViolation> violation = Optional.empty();
    try {
      begin();
      while (world.timeline.now() < HORIZON) {
        step();
      }
      calm();
      untilAtRest();
    } catch (InvariantViolation e) {
      violation = Optional.of(e);
    } catch (RuntimeException e) {
      violation = Optional.of(new InvariantViolation(Invariant.NO_PROGRAM_FAULT, e));
    }
    TableVersion table = world.metastore.truth();
    world.tally.ran(world.timeline.events(), table == null ? 0 : table.state().round().value());
    violation.ifPresent(found -> world.timeline.note(() -> "VIOLATION " + found.getMessage()));
    return new Outcome(seed, violation, world.tally, world.timeline.trace());
  }

  private void untilAtRest() {
    long next = HORIZON + SETTLING;
    long quietSince = 0;
    while (true) {
      step();
      long now = world.timeline.now();
      if (now < next) {
        continue;
      }
      next = now + 250;
      if (!world.quiet) {
        world.quiet = isSettled();
        quietSince = now;
      } else if (isAtRest()) {
        return;
      } else if (now - quietSince > SETTLING) {
        // Something began anew: it needs to seal epochs.
        world.quiet = false;
      }
      if (now > HORIZON + PATIENCE) {
        boolean held =
            world.groups.stream()
                .flatMap(group -> group.current.stream())
                .anyMatch(job -> job.isAlive() && job.isOpen() && job.waitsForColumns());
        throw world.checks.violation(
            held ? Invariant.REQUEST_ANSWERED : Invariant.COMES_TO_REST, standing());
      }
    }
  }

  private void step() {
    world.timeline.step();
    if (world.timeline.events() > MOST_EVENTS) {
      throw world.checks.violation(Invariant.COMES_TO_REST, "it runs in circles: " + standing());
    }
  }

  private void begin() {
    world.startCoordinator();
    for (GroupModel group : world.groups) {
      world.timeline.after(
          world.between(10, 1_500),
          group.name,
          "is submitted",
          () -> {
            if (group.current.isEmpty()) {
              group.submit(Optional.empty());
            }
          });
    }
    for (Server server : world.servers()) {
      world.timeline.after(world.between(100, 600), server.name(), "writes", () -> write(server));
    }
    world.statements.plan(1_000, HORIZON - 3_000);
    world.operator.begin();
    new Faults(world).plan(FAULTS, 400, HORIZON - 2_000);
  }

  private void write(Server server) {
    if (world.calm) {
      return;
    }
    List<ShardId> shards = new ArrayList<>();
    world
        .registry
        .members()
        .shards()
        .forEach(
            (id, member) -> {
              if (member.server().equals(server.name())) {
                shards.add(id);
              }
            });
    for (int i = world.random.nextInt(4); i > 0; i--) {
      server.write(
          world.timeline.now(),
          world.oneOf(shards),
          world.random.nextInt(Server.KEYS),
          world.chance(25));
    }
    world.timeline.after(world.between(250, 900), server.name(), "writes", () -> write(server));
  }

  /** No more faults: what was laid out is taken away, what is stopped wakes. */
  private void calm() {
    world.timeline.note(() -> "CALM");
    world.calm = true;
    world.clearTraps();
    world.kafkaDown = false;
    world.metastore.setDown(false);
    world.registry.setDown(false);
    List.copyOf(world.coordinators).forEach(CoordinatorProcess::wake);
    world.groups.forEach(group -> group.current.ifPresent(GroupJob::calm));
  }

  /** Whether everybody works and the table holds all changes. */
  private boolean isSettled() {
    TableVersion table = world.metastore.truth();
    if (table == null || world.metastore.isTampered()) {
      return false;
    }
    TableState state = table.state();
    if (state.validThrough().isEmpty()) {
      return false;
    }
    for (GroupModel group : world.groups) {
      boolean idle = group.current.isEmpty() && group.wantedShards().isEmpty();
      if (!idle
          && (group.current.filter(GroupJob::isAtEnd).isEmpty()
              || group.ledger().flatMap(GroupState::halt).isPresent())) {
        return false;
      }
    }
    for (var entry : world.registry.members().shards().entrySet()) {
      ShardState shard = state.shards().get(entry.getKey());
      boolean settled =
          entry.getValue().desired() == Members.Desired.RETIRED
              || (entry.getValue().desired() == Members.Desired.ACTIVE
                  && shard != null
                  && shard.phase() == ShardPhase.ACTIVE
                  && shard.covered()
                  && world.checks.isComplete(state, entry.getKey()));
      if (!settled) {
        return false;
      }
    }
    return world.coordinators.stream().filter(CoordinatorProcess::isReady).count() == 1;
  }

  /** Whether nothing is left to commit or to announce. */
  private boolean isAtRest() {
    return isSettled()
        && world.status.size() == world.metastore.truth().state().round().value()
        && world.groups.stream()
            .allMatch(group -> group.current.isEmpty() || group.current.get().isAtRest());
  }

  private String standing() {
    StringBuilder text = new StringBuilder();
    TableVersion table = world.metastore.truth();
    text.append("table ")
        .append(
            table == null
                ? "none"
                : "round %s, %d messages, watermark %s, shards %s"
                    .formatted(
                        table.state().round(),
                        world.status.size(),
                        table.state().validThrough(),
                        table.state().shards()));
    text.append("; tampered ").append(world.metastore.isTampered());
    for (GroupModel group : world.groups) {
      text.append("; ")
          .append(group.current.map(GroupJob::standing).orElse(group.name + ": no job"));
    }
    text.append("; ready coordinators ")
        .append(world.coordinators.stream().filter(CoordinatorProcess::isReady).toList());
    return text.toString();
  }
}
