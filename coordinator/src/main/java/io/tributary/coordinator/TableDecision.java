package io.tributary.coordinator;

import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.StateAcceptance;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableFindings;
import io.tributary.coordinator.iceberg.TableExaminer;
import io.tributary.coordinator.kafka.ControlTopicScan;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Hello;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.iceberg.TableOperations;

/**
 * An operator's decision about a table, from the look at it to the swap. Nothing is changed before
 * {@link Proposal#carryOut}, and that changes exactly what was looked at or nothing.
 */
public final class TableDecision {
  /** Where numbers come from that nobody may use twice. */
  public interface Numbers {
    /** Without a registry the known ones are all there are. */
    Numbers NONE =
        new Numbers() {
          @Override
          public Term nextTerm(Term known) {
            return known.next();
          }

          @Override
          public Incarnation nextIncarnation(GroupName group, long known) {
            return new Incarnation(known + 1);
          }
        };

    /**
     * @param known the highest that the table, its topics and its past know
     */
    Term nextTerm(Term known);

    /**
     * @param known the highest that the table, its topics and its past know; 0 when none
     */
    Incarnation nextIncarnation(GroupName group, long known);
  }

  private final TableName table;
  private final TableExaminer examiner;
  private final KafkaClients kafka;
  private final String controlTopic;
  private final Supplier<Optional<CommitStatus>> lastStatus;
  private final Members members;
  private final Numbers numbers;
  private final Clock clock;

  /**
   * @param operations finds the table in its catalog
   * @param lastStatus reads the last message of the commit-status topic
   * @param members what the registry says about the table
   */
  public TableDecision(
      TableName table,
      Supplier<TableOperations> operations,
      KafkaClients kafka,
      String controlTopic,
      Supplier<Optional<CommitStatus>> lastStatus,
      Members members,
      Numbers numbers,
      Clock clock) {
    this.table = table;
    this.examiner = new TableExaminer(table, operations, false);
    this.kafka = kafka;
    this.controlTopic = controlTopic;
    this.lastStatus = lastStatus;
    this.members = members;
    this.numbers = numbers;
    this.clock = clock;
  }

  /** What was found, and what may be done about it. */
  public final class Proposal {
    private final TableExaminer.Examined examined;
    private final StateAcceptance acceptance;
    private final StateAcceptance.Verdict verdict;

    private Proposal(
        TableExaminer.Examined examined,
        StateAcceptance acceptance,
        StateAcceptance.Verdict verdict) {
      this.examined = examined;
      this.acceptance = acceptance;
      this.verdict = verdict;
    }

    public StateAcceptance.Verdict verdict() {
      return verdict;
    }

    /**
     * Writes the decision into the table.
     *
     * @param by who decides, for people
     * @return as {@link TableExaminer#write}
     * @throws IllegalStateException when there is nothing to decide
     */
    public SwapOutcome carryOut(String by) {
      if (!(verdict instanceof StateAcceptance.Verdict.Acceptable)) {
        throw new IllegalStateException(
            "Cannot decide about table %s: expected something to decide, found %s"
                .formatted(table, verdict));
      }
      Map<GroupName, Incarnation> incarnations = new TreeMap<>();
      acceptance
          .incarnations()
          .forEach(
              (group, known) -> incarnations.put(group, numbers.nextIncarnation(group, known)));
      TableState decided =
          acceptance.accept(
              new StateAcceptance.Fresh(
                  numbers.nextTerm(acceptance.highestTerm()),
                  new OwnerId(UUID.randomUUID()),
                  new PlanId(UUID.randomUUID()),
                  incarnations,
                  new SubmissionId(UUID.randomUUID()),
                  clock.instant(),
                  by));
      return examiner.write(examined, decided);
    }
  }

  /**
   * Looks at a table with a state.
   *
   * @param positionsHold as {@link StateAcceptance#of} says
   * @return absent when there is no such table
   * @throws RuntimeException when the catalog, its files or Kafka does not answer
   */
  public Optional<Proposal> toAccept(boolean positionsHold) {
    return examiner
        .examine()
        .map(
            examined -> {
              StateAcceptance acceptance =
                  StateAcceptance.of(
                      findings(examined, ControlTopicScan.of(kafka, controlTopic)),
                      members,
                      positionsHold);
              return new Proposal(examined, acceptance, acceptance.judge());
            });
  }

  /**
   * Looks at a table without a state.
   *
   * @return absent when there is no such table
   * @throws RuntimeException when the catalog, its files or Kafka does not answer
   */
  public Optional<Proposal> toAdopt() {
    return examiner
        .examine()
        .map(
            examined -> {
              ControlTopicScan control = ControlTopicScan.of(kafka, controlTopic);
              StateAcceptance acceptance =
                  StateAcceptance.adopting(findings(examined, control), members);
              return new Proposal(
                  examined, acceptance, acceptance.judgeAdoption(differences(examined, control)));
            });
  }

  private List<String> differences(TableExaminer.Examined examined, ControlTopicScan control) {
    return control.hellos().isEmpty()
        ? List.of(
            "expected a group's hello on topic %s, which says what its sources need, found none: submit one first (tributary run-group GROUP), it waits"
                .formatted(controlTopic))
        : examiner.differences(
            examined, control.hellos().values().stream().map(Hello::proposal).toList());
  }

  private TableFindings findings(TableExaminer.Examined examined, ControlTopicScan control) {
    return examined.findings(table, lastStatus.get(), control.records());
  }
}
