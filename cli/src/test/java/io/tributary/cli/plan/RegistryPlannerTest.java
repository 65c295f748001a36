package io.tributary.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.coordinator.TableJob;
import io.tributary.coordinator.core.Alarm;
import io.tributary.coordinator.core.MembershipForecast;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.InvalidRegistryException;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.ShardSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Edits of one registry, what the plan says of them, and what the coordinator then does: the plan
 * must not promise what it refuses, nor refuse what it does.
 */
class RegistryPlannerTest {
  private static final TableName TABLE = new TableName("shop.orders");
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");

  private static final String SHARDS =
      """
      shards:
        - {number: 0, group: west, server: a, database: shop, table: orders_0}
        - {number: 1, group: west, server: a, database: shop, table: orders_1}
        - {number: 2, group: east, server: b, database: shop, table: orders_2}
        - {number: 3, group: east, server: b, database: shop, table: orders_3, state: paused}
        - {number: 4, group: west, server: a, database: shop, table: orders_4, state: retired}
        - {number: 5, group: west, server: a, database: shop, table: orders_5}
        - {number: 6, group: east, server: b, database: shop, table: orders_6, state: paused}
      """;

  private static final String YAML =
      """
      catalog: {uri: "thrift://hms:9083", warehouse: /lake}
      kafka: {bootstrap-servers: "kafka:9092"}
      servers:
        a: {hostname: a.example, username: u, password: {env: A}}
        b: {hostname: b.example, username: u, password: {env: B}}
        c: {hostname: c.example, username: u, password: {env: C}}
      tables:
        shop.orders:
          key: [id]
          bucket-count: 5
          column-types: {gift: boolean}
      groups:
        west: {parallelism: 2, server-id: {a: 5400-5403, b: 5500-5503}}
        east: {parallelism: 2, server-id: {b: 5400-5402}}
      """
          + SHARDS;

  private static final TableFacts.Shape SHAPE =
      new TableFacts.Shape(
          new TreeSet<>(List.of("shard_id", "id")),
          List.of("identity(shard_id)", "bucket[5](id)"),
          new TreeMap<>(
              Map.of(
                  "shard_id", "int", "id", "long", "gift", "boolean", "price", "decimal(10, 2)")));

  /**
   * An edit and what is expected of its plan.
   *
   * @param replacements what is replaced by what, in turn
   */
  private record Case(
      String name,
      List<String> replacements,
      RegistryPlan.Verdict verdict,
      Effect effect,
      String subject,
      List<String> texts,
      Map<String, JobStep.Kind> jobs) {
    Case saying(String... said) {
      return new Case(name, replacements, verdict, effect, subject, List.of(said), jobs);
    }

    Case with(String job, JobStep.Kind kind) {
      Map<String, JobStep.Kind> more = new TreeMap<>(jobs);
      more.put(job, kind);
      return new Case(name, replacements, verdict, effect, subject, texts, more);
    }

    String yaml() {
      String yaml = YAML;
      for (int i = 0; i < replacements.size(); i += 2) {
        assertThat(yaml).contains(replacements.get(i));
        yaml = yaml.replace(replacements.get(i), replacements.get(i + 1));
      }
      return yaml;
    }
  }

  private static Case accepted(String name, Effect effect, String subject, String... replacements) {
    return new Case(
        name,
        List.of(replacements),
        RegistryPlan.Verdict.CHANGES,
        effect,
        subject,
        List.of(),
        Map.of());
  }

  private static Case refused(String name, String subject, String... replacements) {
    return new Case(
        name,
        List.of(replacements),
        RegistryPlan.Verdict.REFUSED,
        Effect.REFUSED,
        subject,
        List.of(),
        Map.of());
  }

  private static String shard(int number) {
    return "shard " + number + " of shop.orders";
  }

  private static String line(int number) {
    return SHARDS.lines().skip(number + 1L).findFirst().orElseThrow() + "\n";
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    // What may be published.
    cases.add(
        accepted(
                "a shard comes",
                Effect.STARTS,
                shard(7),
                line(6),
                line(6) + "  - {number: 7, group: west, server: a, database: shop, table: n}\n")
            .saying("group west reads it from server a once it is submitted anew", "notCovered")
            .with("group west", JobStep.Kind.RESUBMIT_FROM_TABLE)
            .with("group east", JobStep.Kind.NONE)
            .with("the coordinator", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "a shard comes paused",
                Effect.CHANGES,
                shard(7),
                line(6),
                line(6)
                    + "  - {number: 7, group: west, server: a, database: shop, table: n, state: paused}\n")
            .saying("not read while it is paused")
            .with("group west", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "a number is taken for good",
                Effect.CHANGES,
                shard(7),
                line(6),
                line(6)
                    + "  - {number: 7, group: west, server: a, database: shop, table: n, state: retired}\n")
            .saying("its number is taken"));
    cases.add(
        accepted(
                "a shard is paused",
                Effect.STOPS,
                shard(1),
                "orders_1}",
                "orders_1, state: paused}")
            .saying("watermark does not wait for it", "until it is submitted anew", "stay")
            .with("group west", JobStep.Kind.RESUBMIT_FROM_TABLE)
            .with("group east", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "a shard is resumed where it stood",
                Effect.STARTS,
                shard(3),
                "orders_3, state: paused",
                "orders_3")
            .saying("go on from the position that the table holds", "reads it still")
            .with("group east", JobStep.Kind.RESUBMIT_FROM_TABLE));
    cases.add(
        accepted(
                "a shard that lost its place is resumed; ids are widened for its copy",
                Effect.STARTS,
                shard(6),
                "orders_6, state: paused",
                "orders_6",
                "5400-5402",
                "5400-5403")
            .saying("emptied, and copied from the source", "once it is submitted anew"));
    cases.add(
        accepted(
                "a shard is retired",
                Effect.STOPS,
                shard(2),
                "orders_2}",
                "orders_2, state: retired}")
            .saying("its number stays taken")
            .with("group east", JobStep.Kind.CANCEL));
    cases.add(
        accepted("a retired shard leaves the file", Effect.STOPS, shard(4), line(4), "")
            .saying("stay until they are removed", "number, which stays taken")
            .with("group west", JobStep.Kind.NONE));
    cases.add(
        accepted("a shard that was never read leaves", Effect.STOPS, shard(5), line(5), "")
            .saying("nothing of it was ever committed", "cancel that job", "not-owned")
            .with("group west", JobStep.Kind.RESUBMIT_FROM_TABLE));
    cases.add(
        accepted(
                "a shard that was never read moves",
                Effect.MOVES,
                shard(5),
                "{number: 5, group: west, server: a",
                "{number: 5, group: east, server: b",
                "5400-5402",
                "5400-5403")
            .saying("group east reads it from server b", "job of group west", "not-owned")
            .with("group west", JobStep.Kind.RESUBMIT_FROM_TABLE)
            .with("group east", JobStep.Kind.RESUBMIT_FROM_TABLE));
    cases.add(
        accepted(
                "a shard that was never read is another table",
                Effect.CHANGES,
                shard(5),
                "orders_5",
                "orders_five")
            .saying("nothing of it was ever committed")
            .with("group west", JobStep.Kind.RESUBMIT_FROM_TABLE));
    cases.add(
        accepted(
                "a group is made faster",
                Effect.CHANGES,
                "group west",
                "west: {parallelism: 2",
                "west: {parallelism: 1")
            .saying("when it is submitted anew")
            .with("group west", JobStep.Kind.RESUBMIT)
            .with("group east", JobStep.Kind.NONE)
            .with("the coordinator", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "a server has another address",
                Effect.CHANGES,
                "server a",
                "a.example",
                "a2.example")
            .saying("halts its shards, and no row is passed over")
            .with("group west", JobStep.Kind.RESUBMIT)
            .with("group east", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "a server comes and one goes",
                Effect.CHANGES,
                "server d",
                "  c: {hostname: c",
                "  d: {hostname: d",
                "{env: C}",
                "{env: D}")
            .saying("read by nobody but")
            .with("group west", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "rounds are committed more often",
                Effect.CHANGES,
                "coordinator",
                "servers:\n",
                "coordinator: {checkpoint-interval: 10 s}\nservers:\n")
            .saying("the coordinator takes it when it is submitted anew")
            .with("the coordinator", JobStep.Kind.REPLACE)
            .with("group west", JobStep.Kind.NONE));
    cases.add(
        accepted("Kafka has another address", Effect.CHANGES, "kafka", "kafka:9092", "kafka-2:9092")
            .saying("same topics there, or the coordinator stops")
            .with("the coordinator", JobStep.Kind.REPLACE)
            .with("group west", JobStep.Kind.RESUBMIT));
    cases.add(
        accepted(
                "the table's properties",
                Effect.CHANGES,
                "table shop.orders",
                "bucket-count: 5",
                "bucket-count: 5\n    properties: {write.parquet.row-group-size-bytes: 1}")
            .saying("from when it was made: this changes none")
            .with("group west", JobStep.Kind.NONE)
            .with("the coordinator", JobStep.Kind.NONE));
    cases.add(
        accepted(
                "columns that change halt their shard",
                Effect.CHANGES,
                "table shop.orders",
                "bucket-count: 5",
                "bucket-count: 5\n    schema.change.behavior: exception")
            .saying("a group's job takes it when it is submitted anew")
            .with("group west", JobStep.Kind.RESUBMIT));
    cases.add(
        accepted(
                "a type for a column that is to come",
                Effect.CHANGES,
                "table shop.orders",
                "{gift: boolean}",
                "{gift: boolean, vip: boolean}")
            .saying("used when the table gets the column")
            .with("group west", JobStep.Kind.RESUBMIT_FROM_TABLE));
    cases.add(
        accepted(
                "a table comes, with a group",
                Effect.STARTS,
                "table shop.items",
                "groups:\n",
                "  shop.items: {}\ngroups:\n  items: {table: shop.items, server-id: {c: 1}}\n",
                "west: {",
                "west: {table: shop.orders, ",
                "east: {",
                "east: {table: shop.orders, ",
                line(6),
                line(6)
                    + "  - {number: 0, group: items, server: c, database: shop, table: items}\n")
            .saying("the coordinator makes it")
            .with("group items", JobStep.Kind.START)
            .with("the coordinator", JobStep.Kind.REPLACE)
            .with("group west", JobStep.Kind.NONE));
    // What must not be.
    cases.add(
        refused(
                "a started shard moves to another group",
                shard(2),
                "2, group: east",
                "2, group: west")
            .saying("Cannot move shard 2", "expected group east", "cure: restore"));
    cases.add(
        refused(
                "a started shard moves to a group on another server",
                shard(1),
                "{number: 1, group: west, server: a",
                "{number: 1, group: east, server: b")
            .saying("Cannot move shard 1", "expected group west", "cure: "));
    cases.add(
        refused(
                "a paused shard moves all the same",
                shard(3),
                "{number: 3, group: east",
                "{number: 3, group: west")
            .saying("Cannot move shard 3", "cure: "));
    cases.add(
        refused(
                "a started shard changes its server",
                shard(1),
                "1, group: west, server: a",
                "1, group: west, server: b")
            .saying("Cannot read shard 1", "expected server a", "cure: restore the server"));
    cases.add(
        refused("a started shard is left out", shard(1), line(1), "")
            .saying("Cannot drop shard 1", "cure: keep it with state retired"));
    cases.add(
        refused("a started shard becomes another table", shard(0), "orders_0", "customers_0")
            .saying("from shop.customers_0", "expected shop.orders_0", "7 or above"));
    cases.add(
        refused(
                "a number pattern shifts",
                shard(0),
                line(0),
                "",
                line(1),
                "  - {group: west, server: a, database: shop, table: \"orders_{1..2}\", number-offset: -1}\n")
            .saying("shard 1 until now (has a number pattern shifted?)"));
    cases.add(
        refused(
                "a retired number is given to another table",
                shard(4),
                "orders_4, state: retired",
                "new")
            .saying("Cannot read shard 4", "from shop.new", "number of its own"));
    cases.add(
        refused(
                "another key",
                "table shop.orders",
                "key: [id]",
                "key: [id, n]\n    bucket-column: id")
            .saying("identifier fields [id, shard_id]", "schema-mismatch", "cure: restore"));
    cases.add(
        refused("another bucket column", "table shop.orders", "key: [id]", "key: [n]")
            .saying(
                "expected partition fields [identity(shard_id), bucket[5](id)]", "bucket[5](n)"));
    cases.add(
        refused("more buckets", "table shop.orders", "bucket-count: 5", "bucket-count: 8")
            .saying("found bucket[8](id)"));
    cases.add(
        refused(
                "another shard column",
                "table shop.orders",
                "bucket-count: 5",
                "shard-id-column: s")
            .saying("found identity(s)"));
    cases.add(
        refused("another type of a column", "table shop.orders", "gift: boolean", "gift: long")
            .saying("Cannot make column gift", "expected boolean", "schema-mismatch"));
    cases.add(
        refused(
                "a type for a column that is there",
                "table shop.orders",
                "gift: boolean",
                "gift: boolean, price: double")
            .saying("Cannot make column price", "expected decimal(10, 2)"));
    cases.add(
        refused(
                "a type is left to the sources",
                "table shop.orders",
                "    column-types: {gift: boolean}\n",
                "")
            .saying("Cannot leave the type of column gift", "expected boolean"));
    cases.add(
        refused(
                "another control topic",
                "table shop.orders",
                "bucket-count: 5",
                "bucket-count: 5\n    control-topic: other")
            .saying("another control-topic", "expected tributary.control.shop.orders"));
    cases.add(
        refused(
                "another status topic",
                "table shop.orders",
                "bucket-count: 5",
                "bucket-count: 5\n    status-topic: other")
            .saying("another status-topic", "expected tributary.status.shop.orders"));
    cases.add(
        refused("a table is renamed", "table shop.orders", "  shop.orders:", "  shop.sales:")
            .saying("Cannot drop table shop.orders", "shop.sales would be a new one"));
    cases.add(
        refused(
                "too few replica ids to copy beside shards that flow",
                "group east",
                "orders_6, state: paused",
                "orders_6")
            .saying("Cannot copy new shards of server b", "expected 4 server ids", "widen"));
    cases.add(
        refused(
                "a group goes while its shards are active",
                shard(2),
                "  east: {parallelism: 2, server-id: {b: 5400-5402}}\n",
                "",
                line(2),
                "",
                line(3),
                "",
                line(6),
                "")
            .saying("Cannot drop shard 2", "state retired")
            .with("group east", JobStep.Kind.CANCEL));
    return cases;
  }

  @TestFactory
  List<DynamicTest> thePlanSaysWhatTheCoordinatorThenDoes() {
    List<Case> cases = cases();
    assertThat(cases).hasSizeGreaterThanOrEqualTo(40);
    assertThat(cases.stream().filter(c -> c.effect() == Effect.REFUSED))
        .hasSizeGreaterThanOrEqualTo(20);
    return cases.stream()
        .map(one -> DynamicTest.dynamicTest(one.name(), () -> check(one)))
        .toList();
  }

  private void check(Case one) {
    Registry before = published();
    Registry after = RegistryParser.parse("after.yaml", one.yaml());
    RegistryPlan plan = plan(before, after);

    assertThat(plan.verdict()).as(plan.lines().toString()).isEqualTo(one.verdict());
    assertThat(plan.lines())
        .anySatisfy(
            line -> {
              assertThat(line.effect()).isEqualTo(one.effect());
              assertThat(line.subject()).isEqualTo(one.subject());
              assertThat(line.reason() + "; rows: " + line.rows() + "; do: " + line.action())
                  .contains(one.texts());
            });
    one.jobs()
        .forEach(
            (job, kind) ->
                assertThat(plan.jobs())
                    .as(plan.jobs().toString())
                    .anyMatch(step -> step.job().equals(job) && step.kind() == kind));
    // No change goes without a line.
    assertThat(plan.lines().stream().flatMap(line -> line.changes().stream()).distinct())
        .containsAll(
            RegistryDiff.between(Optional.of(before), after).stream()
                .map(Object::toString)
                .toList());
    whatTheCoordinatorDoes(before, after, plan);
  }

  private void whatTheCoordinatorDoes(Registry before, Registry after, RegistryPlan plan) {
    Registry next = after.withVersion(new RegistryVersion(before.versionNumber() + 1));
    MembershipForecast forecast =
        MembershipForecast.of(TABLE, ledger(), TableJob.members(next, TABLE));
    CoordinatorOnTable coordinator =
        new CoordinatorOnTable(TABLE, ledger(), TableJob.members(before, TABLE));
    coordinator.publish(TableJob.members(next, TABLE));

    List<String> said = plan.refusals().stream().map(PlanLine::reason).toList();
    assertThat(said).containsAll(coordinator.alarms(Alarm.Code.REGISTRY_REFUSED));
    assertThat(forecast.problems().stream().map(MembershipForecast.Problem::text))
        .containsExactlyElementsOf(coordinator.alarms(Alarm.Code.REGISTRY_REFUSED));
    boolean taken = coordinator.table().registryVersion() == next.versionNumber();
    assertThat(taken).isEqualTo(forecast.problems().isEmpty());
    if (plan.verdict() != RegistryPlan.Verdict.REFUSED) {
      assertThat(taken).isTrue();
      assertThat(stand(coordinator.table().shards())).isEqualTo(stand(forecast.shards()));
      submitAsThePlanSays(coordinator, next, plan);
    } else if (!taken) {
      // What the refusal saves from: whoever is submitted with it waits for ever.
      Hello hello = hello(WEST, 9, next, before.activeShardsOf(WEST));
      coordinator.send(hello);
      assertThat(coordinator.table().group(WEST).orElseThrow().submission())
          .isNotEqualTo(hello.submission());
      assertThat(coordinator.alarms(Alarm.Code.REGISTRY_BEHIND)).isNotEmpty();
    }
  }

  /** Phase, owner and place: all but the cover, which is the watermark's. */
  private static Map<ShardId, String> stand(SortedMap<ShardId, ShardState> shards) {
    return shards.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                entry ->
                    "%s %s %s %s %s"
                        .formatted(
                            entry.getValue().phase(),
                            entry.getValue().group(),
                            entry.getValue().server(),
                            entry.getValue().watermark(),
                            entry.getValue().started())));
  }

  /** Every job that is to be submitted is answered and may read; none that is left alone halts. */
  private static void submitAsThePlanSays(
      CoordinatorOnTable coordinator, Registry next, RegistryPlan plan) {
    for (JobStep step : plan.jobs()) {
      Optional<GroupSpec> group =
          step.group().flatMap(name -> Edit.group(next, name)).filter(g -> g.table().equals(TABLE));
      if (group.isEmpty() || step.command().isEmpty()) {
        continue;
      }
      GroupName name = group.get().name();
      Hello hello = hello(name, 9, next, next.activeShardsOf(name));
      coordinator.send(hello);
      GroupState answered = coordinator.table().group(name).orElseThrow();
      assertThat(answered.submission()).isEqualTo(hello.submission());
      assertThat(answered.answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    }
    assertThat(coordinator.alarms(Alarm.Code.GROUP_HALTED)).isEmpty();
  }

  private static Hello hello(
      GroupName group, long incarnation, Registry registry, List<ShardSpec> shards) {
    return new Hello(
        TABLE,
        group,
        new Incarnation(incarnation),
        new SubmissionId(new UUID(group.value().hashCode(), incarnation)),
        Optional.empty(),
        new TableProposal("{}", "shard_id", "id", 5),
        shards.stream().map(ShardSpec::id).toList(),
        registry.versionNumber(),
        Instant.EPOCH);
  }

  @Test
  void aShardThatAJobReadsAlreadyHaltsTheJobAsThePlanWarns() {
    Registry before = published();
    Registry after =
        RegistryParser.parse(
                "after.yaml",
                YAML.replace(
                    "{number: 5, group: west, server: a", "{number: 5, group: west, server: b"))
            .withVersion(new RegistryVersion(8));
    assertThat(plan(before, after).lines())
        .anySatisfy(line -> assertThat(line.action()).contains("cancel that job", "not-owned"));

    CoordinatorOnTable coordinator =
        new CoordinatorOnTable(TABLE, ledger(), TableJob.members(before, TABLE));
    Registry dropped =
        RegistryParser.parse("dropped.yaml", YAML.replace(line(5), ""))
            .withVersion(new RegistryVersion(8));
    coordinator.publish(TableJob.members(dropped, TABLE));
    coordinator.send(hello(WEST, 9, before, before.activeShardsOf(WEST)));
    assertThat(coordinator.table().group(WEST).orElseThrow().halt().orElseThrow().code())
        .isEqualTo(HaltCode.NOT_OWNED);
    coordinator.send(hello(WEST, 10, dropped, dropped.activeShardsOf(WEST)));
    assertThat(coordinator.table().group(WEST).orElseThrow().halt()).isEmpty();
  }

  @Test
  void theSameContentIsNoChange() {
    RegistryPlan plan = plan(published(), RegistryParser.parse("same.yaml", YAML));
    assertThat(plan.verdict()).isEqualTo(RegistryPlan.Verdict.NO_CHANGE);
    assertThat(plan.lines()).isEmpty();
    assertThat(plan.jobs()).isEmpty();
  }

  @Test
  void aNumberThatLeftTheFileStaysTaken() {
    Registry without = RegistryParser.parse("b.yaml", YAML.replace(line(4), ""));
    RegistryPlan plan =
        plan(
            without.withVersion(new RegistryVersion(7)),
            RegistryParser.parse("a.yaml", YAML.replace("orders_4, state: retired", "new")));
    assertThat(plan.refusals())
        .singleElement()
        .satisfies(
            line ->
                assertThat(line.reason())
                    .contains("Cannot use number 4", "that of a retired shard", "take 7 or above"));
  }

  @Test
  void whatWasRefusedBeforeStandsInNobodysWay() {
    Registry before =
        RegistryParser.parse("b.yaml", YAML.replace(line(1), ""))
            .withVersion(new RegistryVersion(7));
    RegistryPlan plan =
        plan(
            before,
            RegistryParser.parse(
                "a.yaml", YAML.replace(line(1), "").replace("a.example", "a2.example")));
    assertThat(plan.verdict()).isEqualTo(RegistryPlan.Verdict.CHANGES);
    assertThat(plan.lines())
        .anySatisfy(
            line -> {
              assertThat(line.effect()).isEqualTo(Effect.IGNORED);
              assertThat(line.reason()).contains("Cannot drop shard 1");
            });
    // And the edit that mends it is not refused either.
    assertThat(plan(before, RegistryParser.parse("a.yaml", YAML)).verdict())
        .isEqualTo(RegistryPlan.Verdict.CHANGES);
  }

  @Test
  void aTableThatHasANewerRegistryIsNamed() {
    Registry before = RegistryParser.parse("b.yaml", YAML).withVersion(new RegistryVersion(2));
    RegistryPlan plan =
        plan(before, RegistryParser.parse("a.yaml", YAML.replace("a.example", "a2.example")));
    assertThat(plan.lines())
        .anySatisfy(
            line -> {
              assertThat(line.effect()).isEqualTo(Effect.IGNORED);
              assertThat(line.reason())
                  .contains("registry version 3", "at least version 7", "cure: ");
            });
  }

  @Test
  void withoutALookAtTheTableItIsSaidWhatThatLeavesOpen() {
    Registry after =
        RegistryParser.parse(
            "a.yaml",
            YAML.replace(line(1), "")
                .replace("orders_0", "x")
                .replace("bucket-count: 5", "bucket-count: 8"));
    RegistryPlan plan =
        new RegistryPlanner(Optional.of(published()), after, Map.of(), Set.of()).plan();
    assertThat(plan.verdict()).isEqualTo(RegistryPlan.Verdict.CHANGES);
    assertThat(plan.lines().stream().filter(line -> line.effect() == Effect.UNKNOWN))
        .extracting(PlanLine::subject)
        .containsExactlyInAnyOrder(shard(0), shard(1), "table shop.orders");
    assertThat(plan.looks()).containsEntry(TABLE, "not looked at");
  }

  @Test
  void theFirstVersionStartsEverything() {
    RegistryPlan plan =
        new RegistryPlanner(
                Optional.empty(),
                RegistryParser.parse("a.yaml", YAML),
                Map.of(TABLE, new TableFacts.Absent()),
                Set.of())
            .plan();
    assertThat(plan.verdict()).isEqualTo(RegistryPlan.Verdict.CHANGES);
    assertThat(plan.jobs())
        .extracting(JobStep::job, JobStep::kind)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("the coordinator", JobStep.Kind.START),
            org.assertj.core.groups.Tuple.tuple("group east", JobStep.Kind.START),
            org.assertj.core.groups.Tuple.tuple("group west", JobStep.Kind.START));
  }

  @Test
  void aTableOfOthersIsToBeAdoptedFirst() {
    RegistryPlan plan =
        new RegistryPlanner(
                Optional.empty(),
                RegistryParser.parse("a.yaml", YAML),
                Map.of(TABLE, new TableFacts.Foreign(SHAPE)),
                Set.of())
            .plan();
    assertThat(plan.lines())
        .anySatisfy(line -> assertThat(line.action()).contains("tributary adopt shop.orders"));
  }

  @Test
  void anotherCatalogMustHaveTheTables() {
    RegistryPlan plan =
        new RegistryPlanner(
                Optional.of(published()),
                RegistryParser.parse("a.yaml", YAML.replace("hms:9083", "hms2:9083")),
                Map.of(TABLE, new TableFacts.Ours(SHAPE, ledger())),
                Set.of(TABLE))
            .plan();
    assertThat(plan.refusals())
        .singleElement()
        .satisfies(
            line ->
                assertThat(line.reason())
                    .contains(
                        "Cannot change the catalog: expected tables [shop.orders]", "cure: "));
  }

  /** Of these the plan does not even begin: the file itself is refused, with every cure. */
  @Test
  void contradictionsWithinTheFileAreRefusedWithTheirCure() {
    refusedByTheFile("server-id: {b: 5400-5402}", "server-id: {b: 5501-5503}", "overlaps");
    refusedByTheFile(
        "b: {hostname: b.example, username: u, password: {env: B}}",
        "b2: {hostname: b.example, username: u, password: {env: B}}",
        "the name of a server in 'servers'");
    refusedByTheFile(
        "  east: {parallelism: 2, server-id: {b: 5400-5402}}\n",
        "",
        "the name of a group in 'groups'");
    refusedByTheFile("west: {parallelism: 2", "west: {parallelism: 8", "Widen the range");
    refusedByTheFile("{number: 6", "{number: 2", "Numbers are never reused");
  }

  private static void refusedByTheFile(String from, String to, String cure) {
    assertThat(YAML).contains(from);
    assertThatThrownBy(() -> RegistryParser.parse("a.yaml", YAML.replace(from, to)))
        .isInstanceOf(InvalidRegistryException.class)
        .hasMessageContaining(cure);
  }

  private static Registry published() {
    return RegistryParser.parse("before.yaml", YAML).withVersion(new RegistryVersion(7));
  }

  private static RegistryPlan plan(Registry before, Registry after) {
    Map<TableName, TableFacts> facts = new TreeMap<>();
    after.tables().forEach(table -> facts.put(table.name(), new TableFacts.Absent()));
    facts.put(TABLE, new TableFacts.Ours(SHAPE, ledger()));
    return new RegistryPlanner(Optional.of(before), after, facts, Set.of()).plan();
  }

  /** What the table remembers after some rounds with the published registry. */
  private static TableState ledger() {
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    shards.put(new ShardId(0), state(WEST, "a", ShardPhase.ACTIVE, true));
    shards.put(new ShardId(1), state(WEST, "a", ShardPhase.ACTIVE, true));
    shards.put(new ShardId(2), state(EAST, "b", ShardPhase.ACTIVE, true));
    shards.put(new ShardId(3), state(EAST, "b", ShardPhase.PAUSED, true));
    shards.put(new ShardId(4), state(WEST, "a", ShardPhase.RETIRED, true));
    shards.put(new ShardId(5), ShardState.registered(WEST, new ServerName("a")));
    shards.put(new ShardId(6), state(EAST, "b", ShardPhase.PAUSED, false));
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    for (GroupName name : Arrays.asList(WEST, EAST)) {
      groups.put(
          name,
          new GroupState(
              new Incarnation(1),
              new SubmissionId(new UUID(name.value().hashCode(), 1)),
              0,
              HelloAnswer.START_FROM_TABLE,
              new Epoch(0),
              new Epoch(4),
              ChainHash.first(new TableUuid(new UUID(0, 1)), name),
              Optional.empty()));
    }
    return new TableState(
        new TableUuid(new UUID(0, 1)),
        new RoundNumber(9),
        new Term(1),
        new OwnerId(new UUID(0, 2)),
        new PlanId(new UUID(0, 3)),
        7,
        20,
        Optional.of(new Watermark(Instant.parse("2029-12-31T00:00:00Z"))),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        Instant.parse("2029-12-31T00:00:01Z"),
        groups,
        shards,
        new TreeMap<>());
  }

  private static ShardState state(GroupName group, String server, ShardPhase phase, boolean whole) {
    return new ShardState(
        group,
        new ServerName(server),
        phase,
        whole
            ? Optional.of(new Watermark(Instant.parse("2029-12-31T00:00:00Z")))
            : Optional.empty(),
        true,
        phase == ShardPhase.ACTIVE,
        10,
        10,
        Optional.empty());
  }
}
