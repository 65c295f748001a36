package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is published, by whom, and what it changes, against a real ZooKeeper. */
class RegistryVerbsITCase {
  private static final Path EXAMPLE = Path.of("..", "config", "registry.example.yaml");

  @TempDir private Path folder;
  private TestingServer server;

  @BeforeEach
  void start() throws Exception {
    server = new TestingServer();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private CapturedTerminal run(int code, String... arguments) {
    CapturedTerminal terminal = new CapturedTerminal();
    List<String> all = new ArrayList<>(List.of("registry"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--zookeeper", server.getConnectString() + "/verbs"));
    assertThat(terminal.run(all.toArray(String[]::new))).as(terminal.err()).isEqualTo(code);
    return terminal;
  }

  /** The example with another parallelism of its first group. */
  private String edited(int parallelism) throws Exception {
    String example = Files.readString(EXAMPLE);
    assertThat(example).containsPattern("parallelism: \\d+");
    return Files.writeString(
            folder.resolve(parallelism + ".yaml"),
            example.replaceFirst("parallelism: \\d+", "parallelism: " + parallelism))
        .toString();
  }

  @Test
  void appliesTellsTheHistoryAndGoesBack() throws Exception {
    assertThat(run(1, "history").err()).contains("expected a published version", "found none");
    run(0, "apply", "--yes", "--offline", edited(1));
    assertThat(run(0, "apply", "--yes", "--offline", edited(2)).out())
        .contains("parallelism 1 -> 2", "Published version 2");
    assertThat(run(0, "apply", "--yes", "--offline", edited(2)).out())
        .contains("Nothing to publish: version 2");

    assertThat(run(2, "history", "--last", "0").err()).contains("expected --last of at least 1");
    assertThat(run(0, "history").out())
        .containsSubsequence(
            "version 2, published by ", "  ~ group ", "1 -> 2", "version 1, ", "  + ");
    JsonNode history =
        new ObjectMapper().readTree(run(0, "history", "--last", "1", "-o", "json").out());
    assertThat(history.get("versions")).hasSize(1);
    assertThat(history.at("/versions/0/version").asLong()).isEqualTo(2);
    assertThat(history.at("/versions/0/changes")).hasSize(1);

    CapturedTerminal refused = run(1, "rollback", "--offline", "--to", "1");
    assertThat(refused.out()).contains("Going back from version 2 to 1 changes:", "2 -> 1");
    assertThat(refused.err()).contains("Nothing was changed; --yes goes on without asking");
    assertThat(run(0, "show").out()).contains("Version 2,");
    assertThat(run(0, "rollback", "--offline", "--to", "1", "--yes").out())
        .contains("Published version 3");
    assertThat(run(0, "rollback", "--offline", "--to", "1", "--yes").out())
        .contains("Nothing to publish: version 3 says the same as 1");
    assertThat(run(3, "rollback", "--offline", "--to", "9", "--yes").err())
        .contains("Cannot publish version 9", "found versions [1, 2, 3]");
  }

  @Test
  void whoComesSecondIsToldWhatTheOtherChanged() throws Exception {
    run(0, "apply", "--yes", "--offline", edited(1));
    run(0, "apply", "--yes", "--offline", edited(2), "--expect", "1");

    assertThat(run(3, "apply", "--yes", "--offline", edited(3), "--expect", "1").err())
        .contains("expected version 1 to be the current one, found version 2, published by ")
        .contains("what it changed:")
        .contains("parallelism 1 -> 2");

    assertThat(run(3, "apply", "--yes", "--offline", edited(3), "--expect", "99").err())
        .contains("expected version 99")
        .doesNotContain("what it changed");
    assertThat(run(0, "show", "-o", "json").out()).contains("\"version\" : 2");
    // Published is what was asked for, also when it says the same.
    assertThat(run(0, "apply", "--yes", "--offline", edited(2), "--expect", "2").out())
        .contains("Published version 3");
    assertThat(run(1, "rollback", "--offline", "--to", "1", "-o", "json").out())
        .contains("\"published\" : false", "2 -> 1");
  }

  @Test
  void aNumberThatMayHaveRowsKeepsItsSourceWhereTheTableDoesNotAnswer() throws Exception {
    String before = source("before.yaml", "\"t_{000..007}\"");
    String shifted = source("shifted.yaml", "\"t_{001..008}\", number-offset: -1");
    run(0, "apply", "--yes", "--offline", before);

    String refused = run(1, "apply", "--yes", "--offline", shifted).err();

    assertThat(refused)
        .contains("Cannot publish the registry: expected ", "found 8 refusals")
        .contains(
            shifted + ":11: shard 0 of shop.t: shop.t_000 on a -> shop.t_001 on a (version 1);")
        .contains("whether it has started is not known: table shop.t does not answer")
        .contains("cure: give each new source a number of its own")
        .contains("state: retired");
    assertThat(run(0, "show").out()).contains("Version 1,");
    // The pattern's own numbers go with the tables: 0 is gone and 8 is new.
    run(0, "apply", "--yes", "--offline", source("longer.yaml", "\"t_{001..008}\""));
    // A number that was away stands for what it stood for.
    String reused = source("reused.yaml", "\"t_{1..1}\", number-offset: -1");
    assertThat(run(1, "apply", "--yes", "--offline", reused).err())
        .contains("shard 0 of shop.t: shop.t_000 on a -> shop.t_1 on a (version 1)");
    run(0, "apply", "--yes", "--offline", source("back.yaml", "\"t_{000..000}\""));
    assertThat(run(0, "rollback", "--offline", "--to", "2", "--yes").out())
        .contains("Published version 4");
  }

  private String source(String name, String table) throws Exception {
    return Files.writeString(
            folder.resolve(name),
            """
            catalog:
              uri: thrift://127.0.0.1:1
              warehouse: /warehouse
              properties: {hive.metastore.connect.retries: 1, hive.metastore.client.connect.retry.delay: 1}
            kafka: {bootstrap-servers: "127.0.0.1:1"}
            servers:
              a: {hostname: one, username: reader, password: {env: ONE}}
            tables: {shop.t: {}}
            groups: {g: {server-id: {a: 10-12}}}
            shards:
              - {group: g, server: a, database: shop, table: %s}
            """
                .formatted(table))
        .toString();
  }
}
