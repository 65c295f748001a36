package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TributaryTest {
  private static final Path EXAMPLE = Path.of("../config/registry.example.yaml");

  private final CapturedTerminal captured = new CapturedTerminal();

  @TempDir Path folder;

  @Test
  void helpNamesEveryVerbAndEveryExitCode() {
    StringBuilder help = new StringBuilder();
    CommandLine line = Tributary.commandLine(captured.terminal());
    help.append(line.getUsageMessage());

    assertThat(help)
        .contains("demo", "local", "registry", "run-group", "run-coordinator")
        .contains("run-all", "stop")
        .contains("status", "accept", "adopt", "await", "verify")
        .contains("Exit codes:", "130");
  }

  @TestFactory
  List<DynamicTest> everyVerbHasHelpADescriptionAndTheCommonOptions() {
    List<DynamicTest> tests = new ArrayList<>();
    addTests(Tributary.commandLine(captured.terminal()), tests);
    assertThat(tests).hasSize(23);
    return tests;
  }

  private static void addTests(CommandLine line, List<DynamicTest> tests) {
    tests.add(
        DynamicTest.dynamicTest(
            line.getCommandSpec().qualifiedName(),
            () -> {
              assertThat(line.getUsageMessage()).contains("--help", "--output=FORMAT", "--debug");
              assertThat(line.getCommandSpec().usageMessage().description()).isNotEmpty();
              line.getCommandSpec()
                  .options()
                  .forEach(option -> assertThat(option.description()).isNotEmpty());
            }));
    line.getSubcommands().values().forEach(verb -> addTests(verb, tests));
  }

  @Test
  void awaitWaitsForZooKeeperNoLongerThanItsTimeout() {
    assertThat(
            captured.run(
                "await", "--zookeeper", "127.0.0.1:1/t", "--until", "now", "--timeout", "900 ms"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(captured.err())
        .contains("Cannot reach ZooKeeper at 127.0.0.1:1/t: expected a connection within 900 ms");
  }

  @Test
  void aMissingVerbIsAUsageError() {
    assertThat(captured.run()).isEqualTo(ExitCode.USAGE);
    assertThat(captured.err()).startsWith("Cannot run: expected a verb, found none");
  }

  @Test
  void anUnknownVerbIsAUsageError() {
    assertThat(captured.run("frobnicate")).isEqualTo(ExitCode.USAGE);
    assertThat(captured.err()).startsWith("Cannot run:").contains("frobnicate");
  }

  @Test
  void aMissingOptionIsAUsageErrorThatNamesIt() {
    assertThat(captured.run("await", "--zookeeper", "localhost:1")).isEqualTo(ExitCode.USAGE);
    assertThat(captured.err()).contains("tributary await --help").contains("--until");
  }

  @Test
  void aWrongDurationIsAUsageErrorThatSaysWhatIsExpected() {
    assertThat(captured.run("demo", "--duration", "soon")).isEqualTo(ExitCode.USAGE);
    assertThat(captured.err())
        .contains("--duration")
        .contains("expected a duration such as '90 s' or '10 min', found 'soon'");
  }

  @Test
  void withoutAnyRegistryAVerbSaysWhereItLooked() {
    assertThat(captured.run("status", "--folder", folder.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(captured.err())
        .isEqualToIgnoringNewLines(
            "Cannot find the registry: expected --zookeeper, --registry-file or a local stack that runs in "
                + folder
                + ", found none of them");
  }

  @Test
  void twoPlacesOfTheRegistryAreRefused() {
    assertThat(
            captured.run(
                "status", "--registry-file", EXAMPLE.toString(), "--zookeeper", "localhost:1"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(captured.err()).contains("expected one of --registry-file and --zookeeper");
  }

  @Test
  void aStackTraceIsShownOnlyWithDebug() {
    captured.run("status", "--folder", folder.toString());
    assertThat(captured.err()).doesNotContain("\tat ");

    captured.run("status", "--folder", folder.toString(), "--debug");
    assertThat(captured.err()).contains("\tat io.tributary.cli.");
  }

  @Test
  void aValidRegistryShowsTheExactTables() {
    assertThat(captured.run("registry", "validate", EXAMPLE.toString())).isEqualTo(ExitCode.OK);
    assertThat(captured.out())
        .startsWith("Valid: ")
        .contains("shop.orders_000", "shop.orders_063", "shop_00.orders_00");
  }

  @Test
  void aWrongRegistryIsRefusedWithEveryProblem() throws Exception {
    Path wrong = folder.resolve("wrong.yaml");
    Files.writeString(
        wrong,
        Files.readString(EXAMPLE)
            .replace("hostname: mysql-a.example", "hostnmae: mysql-a.example")
            .replace("mysql-b: 5410", "mysql-b: nobody"));

    assertThat(captured.run("registry", "validate", wrong.toString())).isEqualTo(ExitCode.NO);
    assertThat(captured.err()).contains("hostnmae").contains("nobody").doesNotContain("\tat ");
  }

  @Test
  void problemsOfARegistryAreAlsoJson() throws Exception {
    Path wrong = folder.resolve("wrong.yaml");
    Files.writeString(wrong, "servers: 1\n");

    assertThat(captured.run("registry", "validate", wrong.toString(), "-o", "json"))
        .isEqualTo(ExitCode.NO);
    assertThat(new ObjectMapper().readTree(captured.out()).at("/problems/0/line").asInt())
        .isEqualTo(1);
  }

  @Test
  void aStackThatDoesNotRunIsTheAnswerNo() {
    assertThat(captured.run("local", "status", "--folder", folder.toString()))
        .isEqualTo(ExitCode.NO);
    assertThat(captured.out()).contains("No local stack runs in");
    assertThat(captured.run("local", "stop", "--folder", folder.toString())).isEqualTo(ExitCode.OK);
  }

  @Test
  void anUnknownGroupIsRefusedBeforeAnythingIsSubmitted() {
    assertThat(captured.run("run-group", "nobody", "--registry-file", EXAMPLE.toString()))
        .isEqualTo(ExitCode.FAILED);
    assertThat(captured.err()).startsWith("Cannot find group 'nobody' in the registry");
  }

  @Test
  void aRegistryOfSeveralTablesNeedsTheTablesName() {
    assertThat(captured.run("await", "--until", "now", "--registry-file", EXAMPLE.toString()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(captured.err())
        .contains(
            "Cannot choose a table: expected --table with one of [shop.orders, shop.products]");
  }
}
