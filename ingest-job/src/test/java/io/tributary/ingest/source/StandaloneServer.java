package io.tributary.ingest.source;

import io.tributary.localstack.StackEndpoints;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server of another version than the local stack's, in a data folder of its own. */
final class StandaloneServer implements AutoCloseable {
  private static final int START_SECONDS = 180;

  private final ProcessBuilder command;
  private final StackEndpoints.MariaDb endpoint;
  private Process process;

  private StandaloneServer(ProcessBuilder command, StackEndpoints.MariaDb endpoint) {
    this.command = command;
    this.endpoint = endpoint;
  }

  StackEndpoints.MariaDb endpoint() {
    return endpoint;
  }

  static StandaloneServer mariaDb(Path home, String... options) throws Exception {
    Path folder = folder();
    Path data = folder.resolve("data");
    run(
        folder,
        "bash",
        home.resolve("scripts/mariadb-install-db").toString(),
        "--no-defaults",
        "--basedir=" + home,
        "--datadir=" + data,
        "--skip-test-db",
        "--user=root");
    return start(home.resolve("bin/mariadbd"), home, folder, data, options);
  }

  /** The package brings a data folder with system tables. */
  static StandaloneServer mySql56(Path home, String... options) throws Exception {
    Path folder = folder();
    Path data = folder.resolve("data");
    Path template = home.resolve("server/data/mysql");
    try (Stream<Path> files = Files.walk(template)) {
      for (Path file : files.toList()) {
        Path target = data.resolve(template.relativize(file).toString());
        // Each server makes an identity of its own.
        if (!file.endsWith("auto.cnf")) {
          Files.copy(file, target);
        }
      }
    }
    List<String> all = new ArrayList<>(Arrays.asList(options));
    all.add("--gtid-mode=ON");
    all.add("--enforce-gtid-consistency");
    all.add("--log-slave-updates");
    // Its own message files; and with a table space of the template no other log size.
    all.add("--lc-messages-dir=" + home.resolve("server/share"));
    all.add("--character-sets-dir=" + home.resolve("server/share/charsets"));
    return start(
        home.resolve("server/mysqld"),
        home.resolve("server"),
        folder,
        data,
        all.toArray(String[]::new));
  }

  private static Path folder() throws IOException {
    return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "server-");
  }

  private static StandaloneServer start(
      Path program, Path home, Path folder, Path data, String... options) throws Exception {
    StackEndpoints.User admin = user(folder, "admin");
    StackEndpoints.User cdc = user(folder, "tributary_cdc");
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    StackEndpoints.MariaDb endpoint =
        new StackEndpoints.MariaDb(TestServer.SERVER.value(), "127.0.0.1", port, 101, admin, cdc);
    Path users = folder.resolve("users.sql");
    Files.writeString(
        users,
        """
        SET SESSION sql_log_bin = 0;
        GRANT ALL PRIVILEGES ON *.* TO '%s'@'%%' IDENTIFIED BY '%s' WITH GRANT OPTION;
        GRANT SELECT, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '%s'@'%%' IDENTIFIED BY '%s';
        """
            .formatted(admin.name(), admin.password(), cdc.name(), cdc.password()));
    program.toFile().setExecutable(true);
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + data,
                "--tmpdir=" + folder,
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + "s.sock",
                "--pid-file=s.pid",
                "--init-file=" + users,
                "--server-id=101",
                "--log-bin=binlog",
                "--binlog-format=ROW",
                "--binlog-row-image=FULL",
                "--skip-name-resolve",
                "--character-set-server=utf8mb4",
                "--collation-server=utf8mb4_general_ci",
                "--max-allowed-packet=64M",
                "--user=root"));
    command.addAll(Arrays.asList(options));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    // The MySQL package brings a library that the system may not have.
    builder.environment().put("LD_LIBRARY_PATH", home.toString());
    Path log = folder.resolve("server.log");
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    StandaloneServer server = new StandaloneServer(builder, endpoint);
    server.start();
    return server;
  }

  private void start() throws Exception {
    process = command.start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Connection connection = endpoint.connect()) {
        return;
      } catch (SQLException e) {
        if (System.nanoTime() > end || !process.isAlive()) {
          close();
          throw new IllegalStateException(
              "Cannot start %s: expected an answer within %d s, found: %s"
                  .formatted(
                      command.command().get(0),
                      START_SECONDS,
                      Files.readString(command.redirectOutput().file().toPath())),
              e);
        }
        Thread.sleep(100);
      }
    }
  }

  /** Kills the server and starts it again on the same data. */
  void restart() throws Exception {
    close();
    start();
  }

  private static StackEndpoints.User user(Path folder, String name) throws IOException {
    Path password = folder.resolve(name);
    Files.writeString(password, UUID.randomUUID().toString());
    return new StackEndpoints.User(name, password);
  }

  private static void run(Path folder, String... command) throws Exception {
    Path log = folder.resolve("install.log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .directory(folder.toFile())
            .start();
    if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException("Cannot install a server: " + Files.readString(log));
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
