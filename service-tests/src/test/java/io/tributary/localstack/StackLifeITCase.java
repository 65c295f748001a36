package io.tributary.localstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How stacks begin, go on and end; with the two services that start fastest. */
class StackLifeITCase {

  private static final Duration GONE_WITHIN = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofMinutes(3);

  @Test
  void aClosedStackLeavesNoProcessAndNoPortAndGoesOnWithItsDataAndPorts() throws Exception {
    Path folder = TestProcesses.folder("again");
    LocalStackConfig config = small(folder);
    int port;
    try (LocalStack stack = LocalStack.start(config.withWipe(true))) {
      assertThat(stack.isAlive()).isTrue();
      port = stack.endpoints().mariaDb(1).port();
      execute(stack.endpoints().mariaDb(1), "CREATE DATABASE kept");
    }
    assertThat(TestProcesses.commandLinesNaming(folder)).isEmpty();
    assertThat(Sockets.accepts(port)).isFalse();

    try (LocalStack stack = LocalStack.start(config)) {
      assertThat(stack.endpoints().mariaDb(1).port()).isEqualTo(port);
      execute(stack.endpoints().mariaDb(1), "CREATE TABLE kept.t (id INT PRIMARY KEY)");
    }
    try (LocalStack stack = LocalStack.start(config.withWipe(true))) {
      assertThatThrownBy(() -> execute(stack.endpoints().mariaDb(1), "USE kept"))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void aSecondStackInTheSameFolderIsRefused() {
    LocalStackConfig config =
        LocalStackConfig.in(TestProcesses.folder("second"))
            .withOnly(Service.ZOOKEEPER)
            .withWipe(true);
    try (LocalStack stack = LocalStack.start(config)) {
      assertThatThrownBy(() -> LocalStack.start(config))
          .isInstanceOf(LocalStackException.class)
          .hasMessageContaining("Cannot start a local stack in " + stack.folder())
          .hasMessageContaining("expected no other one there");
      assertThat(stack.isAlive()).isTrue();
    }
  }

  @Test
  void aServiceThatFailsIsNamedWithItsLogAndNothingIsLeftRunning() throws Exception {
    Path folder = TestProcesses.folder("failing");
    assertThatThrownBy(
            () ->
                LocalStack.start(
                    small(folder).withWipe(true).withMariaDbOptions("--no-such-option=1")))
        .isInstanceOf(LocalStackException.class)
        .hasMessageContaining("Cannot start mariadb-1: expected it to stay up, found it ended")
        .hasMessageContaining("unknown variable 'no-such-option=1'");
    assertThat(TestProcesses.commandLinesNaming(folder)).isEmpty();
  }

  @Test
  void aKilledServiceIsStartedAgainWithItsData() throws Exception {
    List<String> progress = new CopyOnWriteArrayList<>();
    try (LocalStack stack =
        LocalStack.start(small(TestProcesses.folder("healing")).withWipe(true), progress::add)) {
      StackEndpoints.MariaDb server = stack.endpoints().mariaDb(1);
      execute(server, "CREATE DATABASE kept");
      long killed = stack.process("mariadb-1").pid();
      stack.process("mariadb-1").kill9();
      await()
          .atMost(LONG)
          .ignoreExceptions()
          .until(() -> stack.process("mariadb-1").pid() != killed);
      stack.awaitProcess("mariadb-1");
      execute(server, "USE kept");
      assertThat(progress)
          .anyMatch(line -> line.startsWith("mariadb-1 is up"))
          .anyMatch(line -> line.startsWith("mariadb-1 ended with code 137; starting it again"));
    }
  }

  @Test
  void aPausedServiceAnswersAgainWhenResumedAndAStoppedOneWhenStarted() throws Exception {
    try (LocalStack stack =
        LocalStack.start(small(TestProcesses.folder("pausing")).withWipe(true))) {
      int port = Integer.parseInt(stack.endpoints().zooKeeper().split(":")[1]);
      stack.process("zookeeper").pause();
      assertThat(stack.process("zookeeper").isAlive()).isTrue();
      assertThatThrownBy(() -> Sockets.ask(port, "ruok")).isInstanceOf(IOException.class);
      stack.process("zookeeper").resume();
      assertThat(Sockets.ask(port, "ruok")).isEqualTo("imok");

      stack.stopProcess("zookeeper");
      assertThat(Sockets.accepts(port)).isFalse();
      assertThat(stack.isAlive()).isFalse();
      stack.startProcess("zookeeper");
      assertThat(Sockets.ask(port, "ruok")).isEqualTo("imok");
      assertThat(stack.isAlive()).isTrue();
      assertThatThrownBy(() -> stack.process("kafka"))
          .hasMessageContaining("expected one of [zookeeper, mariadb-1], found kafka");
    }
  }

  @Test
  void passwordsAreForTheOwnersEyesOnlyAndInNoProcessArgumentLogOrBinlog() throws Exception {
    Path folder = TestProcesses.folder("secrets");
    try (LocalStack stack = LocalStack.start(small(folder).withWipe(true))) {
      StackEndpoints.MariaDb server = stack.endpoints().mariaDb(1);
      List<String> passwords = List.of(server.admin().password(), server.cdc().password());
      assertThat(passwords).doesNotHaveDuplicates();
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(folder.resolve("secrets"))))
          .isEqualTo("rwx------");
      try (Stream<Path> files = Files.list(folder.resolve("secrets"))) {
        assertThat(files)
            .isNotEmpty()
            .allSatisfy(
                file ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
      }
      execute(server, "FLUSH LOGS");
      List<Path> places =
          LiveFiles.below(folder).stream()
              .filter(file -> !file.startsWith(folder.resolve("secrets")))
              .toList();
      assertThat(places).isNotEmpty();
      for (String password : passwords) {
        assertThat(TestProcesses.commandLinesNaming(folder))
            .isNotEmpty()
            .noneMatch(line -> line.contains(password));
        for (Path place : places) {
          // The servers run: files come and go.
          byte[] content = LiveFiles.content(place).orElse(new byte[0]);
          assertThat(new String(content, StandardCharsets.ISO_8859_1).contains(password))
              .as("password in " + place)
              .isFalse();
        }
      }
    }
  }

  /** Also right after the first process: a Ctrl-C may come at any moment of the start. */
  @ParameterizedTest
  @ValueSource(strings = {"KILL up", "INT up", "TERM up", "INT starting", "KILL starting"})
  void servicesEndWhenTheirSupervisorEndsInAnyWay(String how) throws Exception {
    Path folder = TestProcesses.folder("orphans");
    String signal = how.split(" ")[0];
    LocalStackConfig config = small(folder).withWipe(true);
    Process supervisor = launch(folder, LocalStackMain.serveArguments(config));
    try {
      if (how.endsWith("up")) {
        await().atMost(LONG).until(() -> AttachedStack.findRunning(folder).isPresent());
        assertThat(AttachedStack.findRunning(folder).orElseThrow().isAlive()).isTrue();
      } else {
        await()
            .pollInterval(Duration.ofMillis(5))
            .atMost(LONG)
            .until(() -> !new StackFolder(folder).pidFiles().isEmpty());
      }
      ProcessIdentity.of(supervisor.pid()).orElseThrow().signal(signal);
      assertThat(supervisor.waitFor(GONE_WITHIN.toSeconds(), TimeUnit.SECONDS)).isTrue();
      await()
          .atMost(GONE_WITHIN)
          .untilAsserted(() -> assertThat(TestProcesses.commandLinesNaming(folder)).isEmpty());
    } finally {
      supervisor.destroyForcibly();
    }
  }

  @Test
  void aDetachedStackIsFoundByOthersAndStoppedByThem() throws Exception {
    Path folder = TestProcesses.folder("detached");
    List<String> progress = new ArrayList<>();
    AttachedStack started = DetachedStart.start(small(folder).withWipe(true), progress::add);
    try {
      assertThat(progress).anyMatch(line -> line.startsWith("mariadb-1 is up"));
      AttachedStack attached = LocalStack.attach(folder);
      assertThat(attached.isAlive()).isTrue();
      assertThat(attached.endpoints()).isEqualTo(started.endpoints());
      assertThat(Set.copyOf(attached.processNames())).isEqualTo(Set.of("zookeeper", "mariadb-1"));
      execute(attached.endpoints().mariaDb(1), "CREATE DATABASE here");
    } finally {
      started.stop();
    }
    assertThat(TestProcesses.commandLinesNaming(folder)).isEmpty();
    assertThatThrownBy(() -> LocalStack.attach(folder))
        .hasMessageContaining("expected one that runs, found none");
  }

  @Test
  void aDetachedStackThatFailsSaysWhy() throws Exception {
    Path folder = TestProcesses.folder("detached-failing");
    assertThatThrownBy(
            () ->
                DetachedStart.start(
                    small(folder).withWipe(true).withMariaDbOptions("--no-such-option=1"),
                    line -> {}))
        .isInstanceOf(LocalStackException.class)
        .hasMessageContaining("unknown variable 'no-such-option=1'");
    assertThat(TestProcesses.commandLinesNaming(folder)).isEmpty();
  }

  @Test
  void ctrlCDuringADetachedStartLeavesNothing() throws Exception {
    Path folder = TestProcesses.folder("detached-interrupted");
    List<String> arguments = new ArrayList<>(LocalStackMain.serveArguments(small(folder)));
    arguments.set(0, "start");
    Process starter = launch(folder, arguments);
    try {
      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(LONG)
          .until(() -> !new StackFolder(folder).pidFiles().isEmpty());
      ProcessIdentity.of(starter.pid()).orElseThrow().signal("INT");
      assertThat(starter.waitFor(GONE_WITHIN.toSeconds(), TimeUnit.SECONDS)).isTrue();
      await()
          .atMost(GONE_WITHIN)
          .untilAsserted(() -> assertThat(TestProcesses.commandLinesNaming(folder)).isEmpty());
    } finally {
      starter.destroyForcibly();
    }
  }

  private static LocalStackConfig small(Path folder) {
    return LocalStackConfig.in(folder)
        .withOnly(Service.ZOOKEEPER, Service.MARIADB)
        .withMariaDbServers(1);
  }

  private static Process launch(Path folder, List<String> arguments) throws IOException {
    Files.createDirectories(folder.getParent());
    // A build in the background ignores SIGINT, and so would all its children.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(
        new JavaCommand()
            .option("-XX:TieredStopAtLevel=1")
            .classpath(System.getProperty("java.class.path"))
            .main(LocalStackMain.class.getName(), arguments.toArray(String[]::new)));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(Path.of(folder + ".out").toFile())
        .start();
  }

  private static void execute(StackEndpoints.MariaDb server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet ignored = statement.execute(sql) ? statement.getResultSet() : null) {
      assertThat(connection.isValid(1)).isTrue();
    }
  }
}
