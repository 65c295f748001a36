package io.tributary.localstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalStackConfigTest {

  private static final Path FOLDER = Path.of("/somewhere/stack");

  @Test
  void byDefaultEveryServiceRuns() {
    LocalStackConfig config = LocalStackConfig.in(FOLDER);
    assertThat(config)
        .isEqualTo(
            new LocalStackConfig(
                FOLDER,
                EnumSet.allOf(Service.class),
                2,
                3,
                4,
                768,
                Map.of(),
                List.of(),
                List.of(),
                Map.of(),
                false,
                ClassRecording.NOTHING,
                Duration.ofMinutes(3)));
  }

  @Test
  void everySettingTravelsThroughTheSupervisorsArguments() {
    LocalStackConfig config =
        LocalStackConfig.in(FOLDER)
            .withOnly(Service.MARIADB, Service.FLINK)
            .withMariaDbServers(3)
            .withTaskManagers(5, 6)
            .withTaskManagerHeapMb(1024)
            .withFlinkOptions(Map.of("a.b", "c=d", "e", "f g"))
            .withMariaDbOptions("--one=1", "--two")
            .withZooKeeperOptions("three=3")
            .withEnvironment("mariadb-2", Map.of("TZ", "a:b=c", "LANG", "C"))
            .withWipe(true)
            .withRecordClasses(ClassRecording.SERVICES_AND_JOBS)
            .withStartTimeout(Duration.ofSeconds(7));
    List<String> arguments = LocalStackMain.serveArguments(config);
    assertThat(LocalStackMain.parse(arguments.subList(1, arguments.size()))).isEqualTo(config);
  }

  @Test
  void flinkBringsZooKeeperAlong() {
    assertThat(LocalStackConfig.in(FOLDER).withOnly(Service.FLINK).services())
        .containsExactlyInAnyOrder(Service.FLINK, Service.ZOOKEEPER);
  }

  @Test
  void nonsenseIsRefusedByName() {
    LocalStackConfig config = LocalStackConfig.in(FOLDER);
    assertThatThrownBy(config::withOnly)
        .hasMessage("Cannot configure a local stack: expected at least one service, found none");
    assertThatThrownBy(() -> config.withMariaDbServers(0))
        .hasMessage("Cannot configure a local stack: expected 1 to 16 MariaDB servers, found 0");
    assertThatThrownBy(() -> config.withTaskManagers(33, 1))
        .hasMessage("Cannot configure a local stack: expected 1 to 32 TaskManagers, found 33");
    assertThatThrownBy(() -> config.withMariaDbOptions("x=1"))
        .hasMessage(
            "Cannot configure a local stack: expected a MariaDB option like --name=value, found x=1");
    assertThatThrownBy(() -> config.withStartTimeout(Duration.ZERO))
        .hasMessageContaining("expected a positive start timeout");
    assertThatThrownBy(() -> LocalStackMain.parse(List.of("--colour", "red")))
        .hasMessage(
            "Cannot read the arguments: expected an option of the local stack, found --colour");
    assertThatThrownBy(() -> LocalStackMain.parse(List.of("--environment", "mariadb-1=x")))
        .hasMessage(
            "Cannot read the arguments: expected --environment PROCESS:NAME=VALUE, found mariadb-1=x");
    assertThatThrownBy(() -> LocalStackMain.parse(List.of("--folder")))
        .hasMessage("Cannot read the arguments: expected a value behind --folder, found none");
  }
}
