package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.coordinator.TableDecision;
import io.tributary.coordinator.TableJob;
import io.tributary.coordinator.core.StateAcceptance.Verdict;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.Counters;
import io.tributary.registry.zookeeper.Lease;
import io.tributary.registry.zookeeper.LeaseHeldException;
import io.tributary.registry.zookeeper.LeaseListener;
import io.tributary.registry.zookeeper.LeaseName;
import io.tributary.registry.zookeeper.LeaseOwner;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What the verbs share that decide about a table: they look, say what they found and what they
 * would do, ask, and do it while no coordinator works on the table.
 */
final class DecisionOptions {
  @Mixin CommonOptions common;
  @Mixin RegistryOptions registry;

  @Parameters(paramLabel = "TABLE", description = "The Iceberg table, as the registry names it.")
  String table;

  @Option(names = "--yes", description = "Do not ask.")
  boolean yes;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who decides, kept in the table. Default: the user who runs this.")
  String by;

  /**
   * @param verb for messages, such as "accept"
   * @param look makes the proposal; empty when there is no table
   */
  int decide(
      Terminal terminal,
      String verb,
      Function<TableDecision, Optional<TableDecision.Proposal>> look) {
    Registry known = registry.load();
    TableSpec spec = known.table(new TableName(table));
    KafkaClients kafka = new KafkaClients(known.kafka().resolveProperties());
    try (Ties ties = Ties.of(registry, spec.name(), verb);
        LakeTable lake = LakeTable.open(known.catalog(), spec.name());
        CommitStatusReader statuses = AwaitCommand.statuses(known, spec);
        TableTopics topics = new TableTopics(kafka, spec.controlTopic(), spec.statusTopic())) {
      topics.ensure();
      TableDecision decision =
          new TableDecision(
              spec.name(),
              lake.operations(),
              kafka,
              spec.controlTopic(),
              () -> statuses.lastStatus(spec.name()),
              TableJob.members(known, spec.name()),
              ties.numbers(),
              Clock.systemUTC());
      return decide(
          terminal,
          verb,
          look.apply(decision)
              .orElseThrow(
                  () ->
                      new CliException(
                          ExitCode.FAILED,
                          "Cannot %s table %s: expected it in catalog %s, found none; cure: restore it, or start the coordinator and the groups, which create it"
                              .formatted(verb, table, known.catalog().name()))));
    }
  }

  private int decide(Terminal terminal, String verb, TableDecision.Proposal proposal) {
    if (proposal.verdict() instanceof Verdict.Nothing nothing) {
      throw new CliException(ExitCode.NO, nothing.reason());
    }
    if (proposal.verdict() instanceof Verdict.Refused refused) {
      throw new CliException(ExitCode.FAILED, refused.reason());
    }
    Verdict.Acceptable acceptable = (Verdict.Acceptable) proposal.verdict();
    if (!common.json()) {
      terminal.line("Found of table " + table + ":");
      acceptable.found().forEach(text -> terminal.line("  " + text));
      terminal.line("To " + verb + " it means:");
      acceptable.consequences().forEach(text -> terminal.line("  " + text));
    }
    if (!yes && !terminal.confirms("Go on?")) {
      if (common.json()) {
        terminal.line(Json.pretty(json(acceptable, Optional.empty())));
      }
      terminal.note("Nothing was changed; --yes goes on without asking");
      return ExitCode.NO;
    }
    TableState done =
        done(verb, proposal.carryOut(by == null ? System.getProperty("user.name") : by));
    if (common.json()) {
      terminal.line(Json.pretty(json(acceptable, Optional.of(done))));
    } else {
      terminal.line(
          "Table %s goes on from round %s in term %s; start the coordinator, then groups %s"
              .formatted(table, done.round(), done.term(), done.groups().keySet()));
    }
    return ExitCode.OK;
  }

  private TableState done(String verb, SwapOutcome outcome) {
    if (outcome instanceof SwapOutcome.Done done) {
      return done.state();
    }
    throw new CliException(
        ExitCode.FAILED,
        outcome instanceof SwapOutcome.Conflict
            ? "Cannot %s table %s: expected it unchanged since it was looked at, found that somebody changed it; nothing was done; cure: look again"
                .formatted(verb, table)
            : "Cannot tell whether table %s was changed: expected an answer of the catalog, found %s; cure: run this again, it sees what is there"
                .formatted(table, outcome));
  }

  private ObjectNode json(Verdict.Acceptable acceptable, Optional<TableState> done) {
    ObjectNode node = Json.object().put("table", table).put("done", done.isPresent());
    ArrayNode found = node.putArray("found");
    acceptable.found().forEach(found::add);
    ArrayNode consequences = node.putArray("consequences");
    acceptable.consequences().forEach(consequences::add);
    ArrayNode copied = node.putArray("copiedShards");
    acceptable.copied().forEach(shard -> copied.add(shard.value()));
    Json.put(node, "round", done.map(state -> state.round().value()));
    Json.put(node, "term", done.map(state -> state.term().value()));
    ArrayNode groups = node.putArray("groupsToStart");
    done.ifPresent(state -> state.groups().keySet().forEach(name -> groups.add(name.value())));
    return node;
  }

  /** The coordinator's lease, held while the verb works, and the registry's counters. */
  private record Ties(
      TableName table, Optional<ZooKeeperConnection> connection, Optional<Lease> lease)
      implements AutoCloseable {
    static Ties of(RegistryOptions registry, TableName table, String verb) {
      if (registry.registryFile != null) {
        return new Ties(table, Optional.empty(), Optional.empty());
      }
      ZooKeeperConnection connection = ZooKeeperConnection.open(registry.zooKeeperAddress());
      try {
        Lease lease =
            Lease.take(
                connection,
                LeaseName.coordinator(table),
                new LeaseOwner(
                    UUID.randomUUID().toString(),
                    "the command line",
                    Instant.now(),
                    "tributary " + verb + " " + table),
                LeaseListener.NONE,
                Duration.ZERO);
        return new Ties(table, Optional.of(connection), Optional.of(lease));
      } catch (LeaseHeldException e) {
        connection.close();
        throw new CliException(
            ExitCode.FAILED,
            "Cannot %s table %s: expected no coordinator at work on it, found %s; cure: when it has stopped by itself it gives the lease back; else cancel its job first"
                .formatted(verb, table, e.holder()),
            e);
      } catch (RuntimeException e) {
        connection.close();
        throw e;
      }
    }

    TableDecision.Numbers numbers() {
      return connection
          .<TableDecision.Numbers>map(tied -> numbers(new Counters(tied)))
          .orElse(TableDecision.Numbers.NONE);
    }

    private TableDecision.Numbers numbers(Counters counters) {
      return new TableDecision.Numbers() {
        @Override
        public Term nextTerm(Term known) {
          return counters.nextTerm(table, known);
        }

        @Override
        public Incarnation nextIncarnation(GroupName group, long known) {
          return counters.nextIncarnation(table, group, known);
        }
      };
    }

    @Override
    public void close() {
      lease.ifPresent(Lease::close);
      connection.ifPresent(ZooKeeperConnection::close);
    }
  }
}
