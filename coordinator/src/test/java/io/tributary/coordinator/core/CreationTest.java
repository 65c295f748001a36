package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.CoreDriver.Fate;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The table is made from the first hello. */
class CreationTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private final CoreDriver driver = new CoreDriver(CoreDriver.membersOf(a, b));

  private void assertGoes() {
    assertThat(driver.core.stage()).isEqualTo("READY");
    assertThat(driver.state().round()).isEqualTo(new RoundNumber(1));
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.published).hasSize(1);
  }

  @Test
  void nothingIsCreatedBeforeAHello() {
    driver.start();
    driver.tick();
    assertThat(driver.table).isEmpty();
    assertThat(driver.actions)
        .noneMatch(Action.CreateTable.class::isInstance)
        .noneMatch(Action.OpenPublisher.class::isInstance);
  }

  @Test
  void theFirstHelloCreatesTheTableWithAClaimInIt() {
    driver.registryTerm = 3;
    driver.start();
    driver.send(a.hello());
    assertThat(driver.state().term()).isEqualTo(new Term(4));
    assertThat(driver.state().round()).isEqualTo(new RoundNumber(0));
    driver.tick();
    assertGoes();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
  }

  @Test
  void helloesThatWaitedAreAnsweredOnce() {
    driver.sendAll(a.hello(), b.hello());
    driver.start();
    driver.tick();
    assertGoes();
    assertThat(driver.state(b).helloOffset()).isEqualTo(1);
    assertThat(driver.actions).filteredOn(Action.CreateTable.class::isInstance).hasSize(1);
  }

  @Test
  void theNewestHelloOfAGroupProposesTheTable() {
    driver.send(a.hello());
    a.resubmitted();
    driver.topic.add(
        new io.tributary.protocol.Hello(
            a.table,
            a.name,
            a.incarnation,
            a.submission,
            Optional.empty(),
            new TableProposal("{\"new\":1}", "shard_id", "id", 5),
            a.shards,
            1,
            driver.now));
    driver.start();
    Action.CreateTable create =
        (Action.CreateTable)
            driver.actions.stream()
                .filter(Action.CreateTable.class::isInstance)
                .findFirst()
                .orElseThrow();
    assertThat(create.proposal().schemaJson()).isEqualTo("{\"new\":1}");
    assertThat(create.controlOffset()).isEqualTo(1);
    driver.tick();
    assertGoes();
  }

  @Test
  void aRegistryThatCameWhileTheTableCouldNotBeReadIsNotTakenForTheNewest() {
    Members first = driver.members;
    driver.look = Optional.of(new TableLook.Unreachable("connection refused"));
    driver.start();
    driver.run(new Event.RegistryChanged(Members.of(2, first.shards())));
    driver.look = Optional.empty();
    driver.tick();
    driver.run(new Event.RegistryChanged(Members.of(3, first.shards())));
    driver.send(a.hello());
    driver.tick();

    assertGoes();
    assertThat(driver.state().registryVersion()).isEqualTo(3);
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED)).isEmpty();
  }

  @Test
  void whoTakesANewTableOverWithAnOlderRegistryWaitsForTheNewerOne() {
    Members older = driver.members;
    driver.members = Members.of(3, older.shards());
    a.registryVersion = 3;
    driver.start();
    driver.send(a.hello());
    assertThat(driver.state().round()).isEqualTo(new RoundNumber(0));

    driver.members = Members.of(2, older.shards());
    driver.restart();
    driver.tick();
    assertThat(driver.alarms(Alarm.Code.REGISTRY_BEHIND)).isNotEmpty();
    assertThat(driver.alarms(Alarm.Code.GROUP_HALTED)).isEmpty();

    driver.run(new Event.RegistryChanged(Members.of(3, older.shards())));
    driver.tick();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state().registryVersion()).isEqualTo(3);
    assertThat(driver.alarms(Alarm.Code.GROUP_HALTED)).isEmpty();
  }

  @Test
  void whatWasWrittenForAFormerTableOfTheNameDoesNotGetIn() {
    a.uuid = new TableUuid(new UUID(8, 8));
    driver.topic.add(a.hello());
    driver.topic.add(a.changes());
    a.resubmitted();
    driver.topic.add(a.hello());
    driver.topic.add(b.hello());
    driver.start();
    driver.tick();
    assertGoes();
    a.uuid = TestGroup.UUID_OF_TABLE;
    a.epoch = new io.tributary.protocol.Epoch(0);
    a.chain = io.tributary.protocol.ChainHash.first(a.uuid, a.name);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.alarms(Alarm.Code.GROUP_HALTED)).isEmpty();
  }

  @Test
  void aHelloThatTheRegistryDoesNotKnowCreatesNothing() {
    TestGroup c = new TestGroup("c", "db3", 7);
    driver.start();
    driver.send(c.hello());
    driver.tick();
    assertThat(driver.table).isEmpty();
    assertThat(driver.alarms(Alarm.Code.REGISTRY_BEHIND))
        .singleElement()
        .satisfies(
            alarm ->
                assertThat(alarm.text())
                    .contains("table shop.orders for group c", "found shards [7]"));
    driver.run(new Event.RegistryChanged(Members.of(2, CoreDriver.membersOf(a, b, c).shards())));
    driver.tick();
    driver.tick();
    assertThat(driver.state(c).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state().registryVersion()).isEqualTo(2);
  }

  @Test
  void aCreationWhoseAnswerIsLostIsFound() {
    driver.fates.add(Fate.LOST_APPLIED);
    driver.start();
    driver.send(a.hello());
    driver.tick();
    assertGoes();
    assertThat(driver.state().term()).isEqualTo(new Term(1));
  }

  @Test
  void aCreationWhoseAnswerIsLostAndThatDidNotHappenIsRepeated() {
    driver.fates.addAll(List.of(Fate.LOST, Fate.UNREACHABLE));
    driver.start();
    driver.send(a.hello());
    for (int i = 0; i < 4; i++) {
      driver.tick();
    }
    assertGoes();
  }

  @Test
  void aTableThatSomebodyElseCreatedIsClaimed() {
    driver.start();
    driver.table = Optional.of(CoreDriver.emptyTable());
    driver.send(a.hello());
    driver.tick();
    assertGoes();
    assertThat(driver.state().term()).isEqualTo(new Term(2));
  }

  @Test
  void aTableThatIsPutBackWhileItsFirstHelloIsWaitedForIsClaimed() {
    driver.start();
    driver.tick();
    driver.table = Optional.of(CoreDriver.emptyTable());
    driver.tick();
    driver.tick();
    assertThat(driver.core.stage()).isEqualTo("READY");
    assertThat(driver.state().term()).isEqualTo(new Term(2));
  }

  @Test
  void aHelloThatComesWhileTheTableIsLookedForAgainStillCreatesIt() {
    driver.start();
    driver.look = Optional.of(new TableLook.Unreachable("connection refused"));
    driver.tick();
    driver.send(a.hello());
    assertThat(driver.table).isEmpty();
    driver.look = Optional.empty();
    driver.tick();
    driver.tick();
    assertGoes();
  }
}
