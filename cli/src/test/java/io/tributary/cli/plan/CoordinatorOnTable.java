package io.tributary.cli.plan;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Alarm;
import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.PublishOutcome;
import io.tributary.coordinator.core.StatusTail;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLayout;
import io.tributary.coordinator.core.TableLook;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The coordinator's own decisions on a table in memory, where everybody answers at once. */
final class CoordinatorOnTable {
  private final CoordinatorCore core;
  private final List<Alarm> alarms = new ArrayList<>();
  private TableState table;
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private long ids;
  private long nextOffset;

  CoordinatorOnTable(TableName name, TableState table, Members members) {
    this.table = table;
    this.nextOffset = table.controlOffset();
    this.core =
        new CoordinatorCore(
            CoreSettings.of(name, Duration.ofSeconds(1), 4, Duration.ofMinutes(5)),
            members,
            Protections.all());
    run(new Event.Started(new Term(0)));
  }

  /** The registry says something else, and the next round is committed. */
  void publish(Members members) {
    run(new Event.RegistryChanged(members));
    tick();
  }

  void send(ControlMessage message) {
    run(Event.Record.of(nextOffset, message));
    nextOffset++;
    tick();
  }

  private void tick() {
    now = now.plusSeconds(60);
    run(new Event.EndOfTopic(nextOffset));
    run(new Event.Tick());
  }

  TableState table() {
    return table;
  }

  List<String> alarms(Alarm.Code code) {
    return alarms.stream().filter(alarm -> alarm.code() == code).map(Alarm::text).toList();
  }

  private void run(Event event) {
    Deque<Event> events = new ArrayDeque<>(List.of(event));
    while (!events.isEmpty()) {
      for (Action action : core.handle(events.remove(), now, new UUID(1, ++ids))) {
        answer(action).ifPresent(events::add);
      }
    }
  }

  private Optional<Event> answer(Action action) {
    if (action instanceof Action.ReadTable) {
      return Optional.of(new Event.TableRead(new TableLook.Present(table, new TableLayout(0, 2))));
    }
    if (action instanceof Action.Claim claim) {
      return Optional.of(swapped(claim.next()));
    }
    if (action instanceof Action.CommitRound round) {
      return Optional.of(swapped(round.plan().next()));
    }
    if (action instanceof Action.OpenPublisher) {
      return Optional.of(
          new Event.PublisherOpened(
              Optional.of(new StatusTail(table.tableUuid(), table.round(), new Term(1)))));
    }
    if (action instanceof Action.Publish publish) {
      CommitStatus status = publish.status();
      assert status.round().equals(table.round());
      return Optional.of(new Event.PublishAnswered(new PublishOutcome.Published()));
    }
    if (action instanceof Action.Raise raise) {
      alarms.add(raise.alarm());
    } else if (action instanceof Action.StopTable stop) {
      throw new AssertionError(stop.reason());
    }
    return Optional.empty();
  }

  private Event swapped(TableState next) {
    table = next;
    return new Event.SwapAnswered(new SwapOutcome.Done(next));
  }
}
