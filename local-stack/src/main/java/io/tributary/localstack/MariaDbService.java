package io.tributary.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One MariaDB server with a row binlog, an administrator and a user for change data capture. */
final class MariaDbService {

  private static final String ADMIN = "admin";
  private static final String CDC = "tributary_cdc";
  private static final int FIRST_SERVER_ID = 101;
  private static final int PASSWORD_BYTES = 24;
  private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(3);

  private final StackFolder folder;
  private final Installation installation;
  private final List<String> extraOptions;
  private final StackEndpoints.MariaDb endpoint;

  MariaDbService(
      int number,
      StackFolder folder,
      Installation installation,
      List<String> extraOptions,
      Ports ports) {
    this.folder = folder;
    this.installation = installation;
    this.extraOptions = extraOptions;
    String name = "mariadb-" + number;
    this.endpoint =
        new StackEndpoints.MariaDb(
            name,
            "127.0.0.1",
            ports.port(name),
            FIRST_SERVER_ID + number - 1,
            new StackEndpoints.User(ADMIN, folder.secrets().resolve(name + "-" + ADMIN)),
            new StackEndpoints.User(CDC, folder.secrets().resolve(name + "-" + CDC)));
  }

  StackEndpoints.MariaDb endpoint() {
    return endpoint;
  }

  /** Makes the data folder and the passwords where they are missing. */
  void prepare(SecureRandom random) {
    for (StackEndpoints.User user : List.of(endpoint.admin(), endpoint.cdc())) {
      if (!Files.exists(user.passwordFile())) {
        byte[] bytes = new byte[PASSWORD_BYTES];
        random.nextBytes(bytes);
        StackFolder.writeSecret(
            user.passwordFile(), Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
      }
    }
    StackFolder.writeSecret(initFile(), users());
    Path data = folder.data(endpoint.name());
    if (!Files.exists(data)) {
      StackFolder.copyTree(template(), data);
    }
  }

  ServiceSpec spec() {
    Path home = installation.mariaDb();
    Path log = folder.log(endpoint.name() + ".log");
    List<String> command = new ArrayList<>();
    command.add(home.resolve(Path.of("bin", "mariadbd")).toString());
    command.addAll(
        List.of(
            "--no-defaults",
            "--basedir=" + home,
            "--datadir=" + folder.data(endpoint.name()),
            "--tmpdir=" + folder.data(endpoint.name()),
            "--bind-address=127.0.0.1",
            "--port=" + endpoint.port(),
            // Relative to the data folder: a socket's full path must stay below 108 characters.
            "--socket=mariadb.sock",
            "--pid-file=mariadb.pid",
            "--init-file=" + initFile(),
            "--server-id=" + endpoint.serverId(),
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--binlog-row-image=FULL",
            // Survives the kill of the process, not of the machine; that is all we promise here.
            "--sync-binlog=0",
            "--innodb-flush-log-at-trx-commit=2",
            "--innodb-buffer-pool-size=128M",
            "--innodb-log-file-size=32M",
            "--skip-name-resolve",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_general_ci",
            "--default-time-zone=+00:00",
            "--max-allowed-packet=64M",
            "--max-connections=300",
            "--performance-schema=OFF"));
    if (isRoot()) {
      command.add("--user=root");
    }
    command.addAll(extraOptions);
    return new ServiceSpec(
        endpoint.name(),
        command,
        Map.of(),
        folder.root(),
        log,
        List.of(log),
        Duration.ofSeconds(10),
        this::answers,
        Optional.empty());
  }

  private boolean answers() throws Exception {
    if (!Sockets.accepts(endpoint.port())) {
      return false;
    }
    try (Connection connection = endpoint.connect()) {
      return connection.isValid(2);
    }
  }

  private Path initFile() {
    return folder.secrets().resolve(endpoint.name() + "-init.sql");
  }

  private String users() {
    // Kept out of the binlog: it would show the passwords to every reader of the log.
    return """
        SET SESSION sql_log_bin = 0;
        CREATE USER IF NOT EXISTS '%1$s'@'%%';
        ALTER USER '%1$s'@'%%' IDENTIFIED BY '%2$s';
        GRANT ALL PRIVILEGES ON *.* TO '%1$s'@'%%' WITH GRANT OPTION;
        CREATE USER IF NOT EXISTS '%3$s'@'%%';
        ALTER USER '%3$s'@'%%' IDENTIFIED BY '%4$s';
        GRANT SELECT, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '%3$s'@'%%';
        """
        .formatted(ADMIN, endpoint.admin().password(), CDC, endpoint.cdc().password());
  }

  /** An empty data folder with the system tables; made by the first server that needs it. */
  private Path template() {
    Path template = installation.templates().resolve("mariadb");
    Template.ensure(template, () -> makeTemplate(template));
    return template;
  }

  private void makeTemplate(Path template) {
    Path home = installation.mariaDb();
    Path log = folder.log("mariadb-install.log");
    try {
      for (String program :
          List.of(
              "bin/mariadbd",
              "bin/my_print_defaults",
              "bin/resolveip",
              "scripts/mariadb-install-db")) {
        if (!home.resolve(program).toFile().setExecutable(true)) {
          throw new LocalStackException(
              "Cannot install MariaDB: expected to be allowed to make %s executable, found not"
                  .formatted(home.resolve(program)));
        }
      }
      Path fresh = Files.createTempDirectory(template.getParent(), "mariadb-");
      List<String> command =
          new ArrayList<>(
              List.of(
                  "bash",
                  home.resolve(Path.of("scripts", "mariadb-install-db")).toString(),
                  "--no-defaults",
                  "--basedir=" + home,
                  "--datadir=" + fresh,
                  "--skip-test-db",
                  "--innodb-log-file-size=32M"));
      if (isRoot()) {
        command.add("--user=root");
      }
      GuardedProcess install =
          GuardedProcess.start(
              folder,
              endpoint.name() + "-install",
              command,
              Map.of(),
              folder.root(),
              log,
              Duration.ofSeconds(2));
      if (!install.await(INSTALL_TIMEOUT) || install.exitValue() != 0) {
        throw new LocalStackException(
            "Cannot install MariaDB's system tables: expected code 0 within %d s, found %d%s"
                .formatted(
                    INSTALL_TIMEOUT.toSeconds(),
                    install.exitValue(),
                    StackFolder.tail(List.of(log))));
      }
      Files.move(fresh, template, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new LocalStackException("Cannot install MariaDB's system tables in " + template, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalStackException("Cannot install MariaDB's system tables: interrupted", e);
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }
}
