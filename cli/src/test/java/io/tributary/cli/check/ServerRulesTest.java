package io.tributary.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.check.Finding.Severity;
import io.tributary.ingest.server.ServerFacts;
import io.tributary.protocol.ServerName;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.ServerSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be arranged on a server that a test can start: other releases, roles and clocks. */
class ServerRulesTest {
  private static final List<String> GRANTS =
      List.of("GRANT SELECT, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `cdc`@`%`");

  @TempDir Path folder;

  private Registry registry;
  private final Map<String, String> variables =
      new HashMap<>(
          Map.of(
              "version", "10.11.6-MariaDB-log",
              "log_bin", "ON",
              "binlog_format", "ROW",
              "binlog_row_image", "FULL",
              "server_id", "1",
              "expire_logs_days", "7.000000"));
  private List<String> grants = GRANTS;
  private Duration ahead = Duration.ofMillis(20);
  private Set<String> logged = Set.of();
  private Set<String> ignored = Set.of();
  private Set<Long> replicas = Set.of();
  private int prepared;
  private List<String> unanswered = List.of();
  private Optional<Boolean> replicates = Optional.of(false);

  @BeforeEach
  void readRegistry() throws Exception {
    Path file = folder.resolve("registry.yaml");
    Files.writeString(
        file,
        """
        catalog: {uri: "thrift://m:9083", warehouse: "file:/w"}
        kafka: {bootstrap-servers: "k:9092"}
        servers:
          a: {hostname: a, username: cdc, password: {env: P}}
        tables: {shop.orders: {}}
        groups:
          g: {server-id: {a: 5400-5403}}
        shards:
          - {group: g, server: a, database: shop, table: "orders_{0..1}"}
        """);
    registry = RegistryParser.parseFile(file);
  }

  @Test
  void nothingIsWrongWithAServerThatIsAsItShouldBe() {
    assertThat(judge()).isEmpty();
  }

  @Test
  void releasesThatCannotBeReadAreErrorsAndUnprovenOnesWarnings() {
    variables.put("version", "8.4.0");
    assertThat(error("version-refused").found()).isEqualTo("8.4.0");
    variables.put("version", "5.5.62");
    error("version-refused");
    variables.put("version", "8.0.36");
    warning("version-unproven");
    variables.put("version", "5.6.51-log");
    assertThat(judge()).isEmpty();
    variables.put("version", "11.4.2-MariaDB");
    assertThat(judge()).isEmpty();
  }

  @Test
  void whatTheBinlogLacksIsAnError() {
    variables.put("binlog_row_value_options", "PARTIAL_JSON");
    error("partial-json");
    variables.remove("binlog_row_value_options");
    variables.put("binlog_transaction_compression", "ON");
    error("binlog-compressed");
    variables.put("binlog_transaction_compression", "OFF");
    variables.put("log_bin", "OFF");
    error("binlog-off");
  }

  @Test
  void databasesThatTheBinlogLeavesOutAreAnError() {
    ignored = Set.of("other");
    assertThat(judge()).isEmpty();
    ignored = Set.of("shop");
    assertThat(error("binlog-filtered").found()).isEqualTo("the binlog leaves out shop");
    ignored = Set.of();
    logged = Set.of("other");
    error("binlog-filtered");
    logged = Set.of("other", "shop");
    assertThat(judge()).isEmpty();
  }

  @Test
  void aReplicaIsNamedAndOneThatLogsNothingIsAnError() {
    replicates = Optional.of(true);
    variables.put("log_slave_updates", "ON");
    warning("replica");
    variables.put("log_slave_updates", "OFF");
    error("replica-logs-nothing");
    replicates = Optional.empty();
    warning("replica-unknown");
  }

  @Test
  void clocksApartAreNamedByHowMuch() {
    ahead = Duration.ofSeconds(-9);
    assertThat(warning("clock").found()).isEqualTo("its clock is 9.0 s behind ours");
    ahead = Duration.ofMinutes(7);
    assertThat(error("clock").found()).isEqualTo("its clock is 420.0 s ahead of ours");
  }

  @Test
  void serverIdsOfReplicasAndOfTheServerItselfAreTaken() {
    replicas = Set.of(5402L);
    assertThat(error("server-id-taken").found()).contains("group g", "5400-5403", "5402");
    replicas = Set.of(5404L);
    assertThat(judge()).isEmpty();
    variables.put("server_id", "5400");
    error("server-id-taken");
  }

  @Test
  void missingRightsAreNamedWithTheGrant() {
    grants = List.of("GRANT SELECT ON *.* TO `cdc`@`%`");
    assertThat(error("grants-missing").cure())
        .isEqualTo("GRANT REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO 'cdc'@'...'");
    grants = List.of("GRANT ALL PRIVILEGES ON *.* TO `cdc`@`%`");
    assertThat(judge()).isEmpty();
    grants = List.of("GRANT ALL PRIVILEGES ON `shop`.* TO `cdc`@`%`");
    error("grants-missing");
    grants =
        List.of("GRANT REPLICATION SLAVE ADMIN, BINLOG MONITOR ON *.* TO `REPLICATION SLAVE`@`%`");
    error("grants-missing");
  }

  @Test
  void binlogsKeptForAShortTimeAreNamed() {
    variables.put("binlog_expire_logs_seconds", "3600");
    assertThat(warning("binlog-retention").found()).isEqualTo("binlogs are kept for 1.0 hours");
    variables.put("binlog_expire_logs_seconds", "0");
    variables.put("expire_logs_days", "0.000000");
    assertThat(judge()).as("kept for ever").isEmpty();
  }

  @Test
  void rightsThatARoleMayHoldAreNoError() {
    grants = List.of("GRANT `reader` TO `cdc`@`%`", "GRANT USAGE ON *.* TO `cdc`@`%`");
    assertThat(warning("grants-unknown").cure())
        .isEqualTo("GRANT REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO 'cdc'@'...'");
  }

  @Test
  void preparedTransactionsAreAnErrorWhileTheyAreOpenAndAWarningBehind() {
    prepared = 2;
    variables.put("com_xa_prepare", "9");
    assertThat(error("xa-prepared").found()).startsWith("2 prepared transactions");
    prepared = 0;
    assertThat(warning("xa-used").found()).startsWith("9 transactions were prepared");
    variables.put("com_xa_prepare", "0");
    assertThat(judge()).isEmpty();
  }

  @Test
  void whatIsNotAnsweredIsSaid() {
    unanswered = List.of("SHOW SLAVE HOSTS: Access denied");
    Finding finding = judge().get(0);
    assertThat(finding.severity()).isEqualTo(Severity.INFO);
    assertThat(finding.found()).isEqualTo("SHOW SLAVE HOSTS: Access denied");
    assertThat(finding.meaning()).contains("stays unknown without the right to ask");
  }

  @Test
  void serversThatCannotBeToldApartAreNamed() {
    ServerSpec a = registry.servers().get(0);
    ServerSpec b =
        new ServerSpec(
            new ServerName("b"),
            "b",
            3306,
            a.username(),
            a.password(),
            a.serverTimeZone(),
            a.jdbcProperties());
    Map<ServerSpec, ServerFacts> both = new LinkedHashMap<>();
    both.put(a, facts());
    both.put(b, facts());
    Finding same = IdentityRules.judge(both, RegistryPlaces.NONE).get(0);
    assertThat(same.severity()).isEqualTo(Severity.WARNING);
    assertThat(same.subject()).isEqualTo("server b");
    assertThat(same.found()).isEqualTo("server_id 1, as server a has");
    assertThat(same.cure()).isEqualTo("give each server a server_id of its own");
    variables.put("server_uuid", "u-1");
    both.put(a, facts());
    assertThat(IdentityRules.judge(both, RegistryPlaces.NONE)).as("one has an id").isEmpty();
    both.put(b, facts());
    assertThat(IdentityRules.judge(both, RegistryPlaces.NONE).get(0).cure()).contains("auto.cnf");
  }

  private List<Finding> judge() {
    return ServerRules.judge(registry, registry.servers().get(0), facts());
  }

  private ServerFacts facts() {
    return new ServerFacts(
        variables,
        grants,
        ahead,
        Duration.ofMillis(1),
        logged,
        ignored,
        replicas,
        replicates,
        prepared,
        unanswered);
  }

  private Finding error(String code) {
    return only(Severity.ERROR, code);
  }

  private Finding warning(String code) {
    return only(Severity.WARNING, code);
  }

  private Finding only(Severity severity, String code) {
    List<Finding> findings = judge();
    assertThat(findings).hasSize(1);
    Finding finding = findings.get(0);
    assertThat(finding.code()).isEqualTo(code);
    assertThat(finding.severity()).isEqualTo(severity);
    assertThat(finding.subject()).isEqualTo("server a");
    assertThat(finding.cure()).isNotBlank();
    return finding;
  }
}
