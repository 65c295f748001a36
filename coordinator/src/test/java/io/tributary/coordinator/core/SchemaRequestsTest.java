package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SchemaRequestsTest {
  private static final RequestedColumn PRICE = new RequestedColumn("price", "long");
  private static final RequestedColumn NOTE = new RequestedColumn("note", "string");

  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsAreGoing() {
    driver = CoreDriver.onTable(a, b);
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
  }

  private static SchemaRequest request(TestGroup group, int shard, RequestedColumn... columns) {
    return new SchemaRequest(
        group.table,
        group.uuid,
        group.name,
        group.incarnation,
        group.submission,
        new ShardId(shard),
        List.of(columns),
        SourcePosition.of("bin.1", 4_711),
        Instant.EPOCH);
  }

  @Test
  void theColumnsThatTwoGroupsAskForAreInTheNextRoundOnceEach() {
    driver.sendAll(request(a, 1, PRICE), request(b, 2, PRICE, NOTE), a.changes());
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.lastRound().columns()).containsExactly(PRICE, NOTE);
    assertThat(driver.lastRound().layers()).hasSize(1);

    driver.send(a.changes());
    driver.tick();
    assertThat(driver.lastRound().columns()).isEmpty();
  }

  @Test
  void aRoundThatOnlyAddsColumnsIsMadeAtOnceAndLetsTheTopicGo() {
    driver.send(request(a, 1, PRICE));
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.lastRound().layers()).isEmpty();
    assertThat(driver.state().controlOffset()).isEqualTo(3);
    int rounds = driver.rounds.size();
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.rounds).hasSize(rounds);
  }

  @Test
  void aRequestIsKeptUntilItsRoundIsKnownToBeCommitted() {
    driver.send(request(a, 1, PRICE));
    for (CoreDriver.Fate fate :
        List.of(
            CoreDriver.Fate.UNREACHABLE, CoreDriver.Fate.CONFLICT, CoreDriver.Fate.UNREACHABLE)) {
      driver.fates.add(fate);
    }
    driver.tick();
    driver.tick();
    driver.fates.clear();
    driver.tick();
    assertThat(driver.rounds.stream().filter(round -> round.columns().contains(PRICE)).count())
        .isGreaterThanOrEqualTo(3);
    assertThat(driver.lastRound().columns()).containsExactly(PRICE);
    driver.tick();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.lastRound().columns()).isEmpty();
  }

  @Test
  void aRequestWhoseRoundLostItsAnswerAndWasNotAppliedIsInTheNextOne() {
    driver.send(request(a, 1, PRICE));
    driver.fates.add(CoreDriver.Fate.LOST);
    driver.tick();
    driver.tick();
    driver.tick();
    List<RoundPlan> with =
        driver.rounds.stream().filter(round -> round.columns().contains(PRICE)).toList();
    assertThat(with).hasSize(2);
    assertThat(driver.state().controlOffset()).isEqualTo(3);
  }

  @Test
  void aCoordinatorThatDiesBeforeItsRoundFindsTheRequestInTheTopic() {
    driver.send(request(a, 1, PRICE));
    driver.restart();
    driver.tick();
    assertThat(driver.lastRound().columns()).containsExactly(PRICE);
  }

  @Test
  void aSupersededJobsRequestIsDroppedAndReported() {
    SchemaRequest old = request(a, 1, PRICE);
    driver.send(a.resubmitted().hello());
    driver.send(old);
    driver.tick();
    assertThat(driver.rounds).allMatch(round -> round.columns().isEmpty());
    assertThat(driver.alarms(Alarm.Code.ZOMBIE))
        .singleElement()
        .extracting(Alarm::text)
        .asString()
        .startsWith("Cannot add columns [price long] to table shop.orders for shard 1 of group a")
        .contains("expected incarnation 2", "found incarnation 1");
  }

  @Test
  void aRequestForAnothersShardOrAnotherTableIsDropped() {
    driver.send(request(a, 2, PRICE));
    a.uuid = new io.tributary.protocol.TableUuid(new java.util.UUID(8, 8));
    driver.send(request(a, 1, PRICE));
    driver.tick();
    assertThat(driver.rounds).allMatch(round -> round.columns().isEmpty());
    assertThat(driver.alarms(Alarm.Code.ZOMBIE)).hasSize(2);
  }

  @Test
  void aHaltedGroupsRequestIsStillServedSinceColumnsHarmNobody() {
    a.specId = 9;
    driver.send(a.changes());
    assertThat(driver.view(a).halt()).isPresent();
    driver.send(request(a, 1, PRICE));
    driver.tick();
    assertThat(driver.lastRound().columns()).containsExactly(PRICE);
  }

  @Test
  void withoutTheFenceASupersededJobAltersTheTable() {
    driver.protections = Protections.without(Protection.REQUESTS_FENCED);
    driver.restart();
    SchemaRequest old = request(a, 1, PRICE);
    driver.send(a.resubmitted().hello());
    driver.send(old);
    driver.tick();
    assertThat(driver.lastRound().columns()).containsExactly(PRICE);
  }

  @Test
  void aRequestThatIsForgottenBeforeItsRoundIsCommittedIsLost() {
    driver.protections = Protections.without(Protection.REQUESTS_KEPT);
    driver.restart();
    driver.send(request(a, 1, PRICE));
    driver.fates.add(CoreDriver.Fate.UNREACHABLE);
    driver.tick();
    assertThat(driver.lastRound().columns()).containsExactly(PRICE);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.lastRound().columns()).isEmpty();
    assertThat(driver.state().controlOffset()).isGreaterThan(2);
  }
}
