package io.tributary.loadtests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {
  private static final int KINDS = FaultKind.values().length;

  @Test
  void theSameSeedMakesTheSameFaults() {
    assertThat(faults(7, 200)).isEqualTo(faults(7, 200)).isNotEqualTo(faults(8, 200));
  }

  @Test
  void afterEachDeckEveryKindHasComeEquallyOften() {
    Map<FaultKind, Long> counts =
        faults(3, 15 * KINDS).stream()
            .collect(Collectors.groupingBy(PlannedFault::kind, Collectors.counting()));
    assertThat(counts).hasSize(KINDS).allSatisfy((kind, count) -> assertThat(count).isEqualTo(15));
  }

  @Test
  void mostFaultsWaitForARoundOrACheckpoint() {
    long flights = faults(5, 400).stream().filter(PlannedFault::strikesInFlight).count();
    assertThat(flights).isEqualTo(300);
  }

  @Test
  void anHourHasEachKindFifteenTimesWhenAWaveTakesAMinute() {
    FaultSchedule schedule = new FaultSchedule(1);
    List<PlannedFault> all = new ArrayList<>();
    for (int minute = 0; minute < 60; minute++) {
      all.addAll(schedule.wave(Duration.ofMinutes(minute)));
    }
    assertThat(all).hasSizeGreaterThanOrEqualTo(300);
    assertThat(
            all.stream()
                .collect(Collectors.groupingBy(PlannedFault::kind, Collectors.counting()))
                .values())
        .hasSize(KINDS)
        .allMatch(count -> count >= 15);
  }

  @Test
  void wavesThatAreLateAreLarger() {
    FaultSchedule schedule = new FaultSchedule(1);
    assertThat(schedule.wave(Duration.ZERO)).hasSize(7);
    assertThat(schedule.wave(Duration.ofMinutes(1))).hasSize(7);
    assertThat(schedule.wave(Duration.ofMinutes(1))).hasSize(FaultSchedule.LEAST_IN_WAVE);
    assertThat(schedule.wave(Duration.ofMinutes(30))).hasSize(FaultSchedule.MOST_IN_WAVE);
  }

  @Test
  void theWordsOfKindsAreDifferentAndFitForAFile() {
    assertThat(Stream.of(FaultKind.values()).map(FaultKind::word))
        .doesNotHaveDuplicates()
        .allMatch(word -> word.matches("[a-z]+(-[a-z]+)+"));
    assertThat(
            Stream.of(FaultKind.values())
                .collect(Collectors.toMap(FaultKind::word, Function.identity())))
        .containsEntry("kill-jobmanager", FaultKind.KILL_JOBMANAGER);
  }

  private static List<PlannedFault> faults(long seed, int count) {
    FaultSchedule schedule = new FaultSchedule(seed);
    return Stream.generate(schedule::next).limit(count).toList();
  }
}
