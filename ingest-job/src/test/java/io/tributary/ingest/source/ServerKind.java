package io.tributary.ingest.source;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** The servers that types and keys are tested on. */
enum ServerKind {
  /** Part of the build. */
  MARIADB_10_11("") {
    @Override
    TestServer start(String... options) throws Exception {
      return new TestServer(options);
    }
  },
  MARIADB_11_4("mariadb-11.4") {
    @Override
    TestServer start(String... options) throws Exception {
      return TestServer.of(StandaloneServer.mariaDb(installed(), options));
    }
  },
  MYSQL_5_6("mysql-5.6") {
    @Override
    TestServer start(String... options) throws Exception {
      return TestServer.of(StandaloneServer.mySql56(installed(), options));
    }
  };

  private final String folder;

  ServerKind(String folder) {
    this.folder = folder;
  }

  /** Skips the test when the server is not installed; see {@code .ci/servers}. */
  abstract TestServer start(String... options) throws Exception;

  Path installed() {
    Path home = Path.of("..", ".servers", folder).toAbsolutePath().normalize();
    Assumptions.assumeTrue(
        Files.isDirectory(home),
        () -> "No " + this + ": expected it in " + home + "; .ci/servers fetches it");
    return home;
  }

  boolean isMariaDb() {
    return this != MYSQL_5_6;
  }
}
