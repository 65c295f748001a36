package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.status.ColumnReport;
import io.tributary.cli.status.FlinkJobs;
import io.tributary.cli.status.TableReport;
import io.tributary.coordinator.core.Alarm;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StatusViewTest {
  private final CapturedTerminal captured = new CapturedTerminal();

  private static TableReport report(
      Optional<RoundNumber> round,
      Optional<Watermark> promised,
      List<FlinkJobs.AlarmView> alarms,
      Optional<String> unknown,
      Optional<String> jobsUnknown) {
    return new TableReport(
        new TableName("shop.orders"),
        round,
        round,
        Optional.empty(),
        Optional.empty(),
        promised,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(
            new ColumnReport(
                "price",
                ColumnReport.Kind.RENAMED,
                Optional.of("cost"),
                List.of(new ShardId(1)),
                List.of(new ShardId(7)),
                Optional.empty())),
        alarms,
        unknown,
        jobsUnknown,
        List.of());
  }

  private String text(TableReport report) {
    StatusView.text(captured.terminal(), report);
    return captured.out();
  }

  @ParameterizedTest
  @EnumSource(Alarm.Code.class)
  void showsWhatTheCoordinatorRaisedWithTheCure(Alarm.Code code) {
    FlinkJobs.AlarmView alarm =
        new FlinkJobs.AlarmView(code.name(), 3, "2030-01-01T00:00:00Z Cannot do it; cure: wait");
    TableReport report =
        report(
            Optional.of(new RoundNumber(4)),
            Optional.empty(),
            List.of(alarm),
            Optional.empty(),
            Optional.empty());
    assertThat(text(report))
        .contains(
            code.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')
                + ": raised 3 times since the coordinator's start, last 2030-01-01T00:00:00Z Cannot do it; cure: wait");
    assertThat(StatusView.json(List.of(report)).at("/tables/0/alarms/0/code").asText())
        .isEqualTo(code.name());
  }

  @Test
  void namesTheShardsThatAreStillToRenameAColumn() {
    TableReport report =
        report(
            Optional.of(new RoundNumber(4)),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            Optional.empty());
    assertThat(text(report))
        .contains(
            "  column 'price' is renamed to 'cost' at shard 1, not yet at shard 7; the table follows when all shards have");
    assertThat(StatusView.json(List.of(report)).at("/tables/0/columns/0").toString())
        .isEqualTo(
            "{\"column\":\"price\",\"change\":\"renamed\",\"newName\":\"cost\",\"shards\":[1],\"otherShards\":[7],\"clash\":null}");
    assertThat(report.healthy()).isTrue();
  }

  @Test
  void saysUnknownWhereNobodyAnswered() {
    assertThat(
            text(
                report(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Optional.of("Cannot read table shop.orders: connection refused"),
                    Optional.of("Cannot read http://localhost:1"))))
        .contains("table unknown: Cannot read table shop.orders: connection refused")
        .contains("coordinator unknown: Cannot read http://localhost:1")
        .doesNotContain("no coordinator", "no job found");
  }

  @Test
  void saysWhichPromiseTheWatermarkWaitsFor() {
    Watermark promised = new Watermark(Instant.parse("2030-01-01T00:00:00Z"));
    assertThat(
            text(
                report(
                    Optional.of(new RoundNumber(4)),
                    Optional.of(promised),
                    List.of(),
                    Optional.empty(),
                    Optional.empty())))
        .contains("valid through nothing before it is complete up to " + promised + " again");
  }
}
