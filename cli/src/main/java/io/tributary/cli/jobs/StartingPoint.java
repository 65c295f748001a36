package io.tributary.cli.jobs;

import io.tributary.cli.plan.JobStep;
import io.tributary.protocol.GroupState;
import io.tributary.registry.zookeeper.Savepoint;
import java.util.Optional;

/**
 * What a group's job starts from. A savepoint is taken only where it surely is the newest thing the
 * group did; the table is right always.
 *
 * @param savepoint absent: what the table remembers
 * @param why for the operator
 */
public record StartingPoint(Optional<Savepoint> savepoint, String why) {
  /**
   * @param kept what the group's job was stopped with last
   * @param given the last incarnation that was given to any submission of the group
   * @param group what the table remembers of the group
   * @param since what the registry's changes since that submission ask of the group's job; absent
   *     when they cannot be told
   */
  public static StartingPoint of(
      Optional<Savepoint> kept,
      long given,
      Optional<GroupState> group,
      Optional<JobStep.Kind> since) {
    if (kept.isEmpty()) {
      return ofTable("no savepoint of it is kept");
    }
    long stopped = kept.get().incarnation().value();
    String path = kept.get().path();
    if (given != stopped) {
      return ofTable(
          "savepoint %s is of incarnation %d, and incarnation %d came after it"
              .formatted(path, stopped, given));
    }
    if (group.isEmpty() || group.get().incarnation().value() != stopped) {
      return ofTable(
          "savepoint %s is of incarnation %d, and the table has %s"
              .formatted(
                  path,
                  stopped,
                  group.map(state -> "incarnation " + state.incarnation()).orElse("none")));
    }
    if (group.get().halt().isPresent()) {
      return ofTable(
          "savepoint %s is of a group that was halted since: %s"
              .formatted(path, group.get().halt().get().code()));
    }
    boolean fits =
        since
            .filter(kind -> kind == JobStep.Kind.NONE || kind == JobStep.Kind.RESUBMIT)
            .isPresent();
    return fits
        ? new StartingPoint(kept, "from savepoint %s of %s".formatted(path, kept.get().takenAt()))
        : ofTable("savepoint %s is of other shards or columns".formatted(path));
  }

  public static StartingPoint ofTable(String why) {
    return new StartingPoint(Optional.empty(), "from the table: " + why);
  }
}
