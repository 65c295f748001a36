package io.tributary.ingest.seal;

import static io.tributary.ingest.seal.SealerFixtures.newTable;
import static io.tributary.ingest.seal.SealerFixtures.submission;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The table of these tests knows a hello at offset 10 and has handled everything below 11. */
class HelloOutcomeTest {
  private static Submission sameIncarnation(long incarnation) {
    Submission mine = submission(incarnation);
    return new Submission(
        mine.table(),
        mine.group(),
        mine.incarnation(),
        new SubmissionId(new UUID(99, 99)),
        mine.sources(),
        mine.estimatedRows(),
        mine.registryVersion());
  }

  @Test
  void waitsForATableAndForACoordinatorThatHasReadTheHello() {
    assertThat(HelloOutcome.judge(submission(2), 10, Optional.empty()))
        .isInstanceOfSatisfying(
            HelloOutcome.Waiting.class,
            waiting -> assertThat(waiting.reason()).contains("no coordinator has claimed table"));
    assertThat(HelloOutcome.judge(submission(2), 14, Optional.of(newTable(submission(1)))))
        .isInstanceOfSatisfying(
            HelloOutcome.Waiting.class,
            waiting -> assertThat(waiting.reason()).contains("hello at offset 14"));
  }

  @Test
  void anAnswerToAnEarlierHelloOfTheSameSubmissionDoesNotCount() {
    TableState table = newTable(submission(1));

    assertThat(HelloOutcome.judge(submission(1), 10, Optional.of(table)))
        .isEqualTo(new HelloOutcome.Answered(table));
    assertThat(HelloOutcome.judge(submission(1), 12, Optional.of(table)))
        .isInstanceOf(HelloOutcome.Waiting.class);
  }

  @Test
  void aHelloThatTheTableHasPassedByUnheardIsSaidAgain() {
    assertThat(HelloOutcome.judge(submission(2), 8, Optional.of(newTable(submission(1)))))
        .isInstanceOfSatisfying(
            HelloOutcome.Lost.class,
            lost ->
                assertThat(lost.reason())
                    .contains("hello at offset 8 of group g", "up to offset 11 without one"));
  }

  @Test
  void aNewerIncarnationSupersedes() {
    TableState table = newTable(submission(2));

    assertThat(HelloOutcome.judge(submission(1), 4, Optional.of(table)))
        .isInstanceOfSatisfying(
            HelloOutcome.Superseded.class,
            superseded ->
                assertThat(superseded.message())
                    .startsWith("Cannot go on with incarnation 1")
                    .contains("found incarnation 2"));
    assertThat(HelloOutcome.supersededBy(submission(1), table)).isPresent();
    assertThat(HelloOutcome.supersededBy(submission(2), table)).isEmpty();
    assertThat(HelloOutcome.supersededBy(submission(3), table)).isEmpty();
  }

  @Test
  void ofTwoSubmissionsWithOneIncarnationTheOneThatIsAnsweredGoesOn() {
    TableState table = newTable(submission(2));

    assertThat(HelloOutcome.judge(sameIncarnation(2), 5, Optional.of(table)))
        .isInstanceOf(HelloOutcome.Superseded.class);
    assertThat(HelloOutcome.judge(sameIncarnation(2), 11, Optional.of(table)))
        .isInstanceOf(HelloOutcome.Waiting.class);
    assertThat(HelloOutcome.supersededBy(sameIncarnation(2), table)).isPresent();
  }
}
