package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every type at its limits comes through the copy, as a new row of the binlog and as a changed one,
 * with the value that the server's own text says.
 */
class GoldenTypesITCase {
  @TempDir Path state;

  @ParameterizedTest
  @EnumSource
  void everyTypeAtItsLimitsIsTheSameInTheCopyAndInTheBinlog(ServerKind kind) throws Exception {
    // Neither the server's zone nor its SQL modes may show in a value.
    try (TestServer server =
        kind.start(
            "--default-time-zone=-05:00", "--sql-mode=PAD_CHAR_TO_FULL_LENGTH,ANSI_QUOTES")) {
      List<GoldenColumn> columns =
          GoldenColumn.ALL.stream().filter(column -> column.on(kind)).toList();
      server.execute("CREATE DATABASE golden CHARACTER SET utf8mb4");
      try (Connection connection = server.connect();
          java.sql.Statement statement = connection.createStatement()) {
        statement.execute("SET SESSION sql_mode = ''");
        statement.execute(GoldenColumn.createTable("golden.t", columns));
        int rows = columns.stream().mapToInt(column -> column.literals().size()).max().orElse(1);
        for (int row = 0; row < rows; row++) {
          statement.execute(GoldenColumn.insert("golden.t", columns, 1 + row, row));
        }
        SourceSpec spec = server.spec(100, "golden.t");
        ServerText text = new ServerText(spec.layout());
        Gate gate = TestServer.gate(1);
        try (SourceRun run = new SourceRun()) {
          run.answer(gate, spec, Optional.empty());
          run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
          await()
              .atMost(Duration.ofMinutes(5))
              .until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
          for (int row = 0; row < rows; row++) {
            statement.execute(GoldenColumn.insert("golden.t", columns, 101 + row, row));
            // First the default of every column, then its value.
            statement.execute("INSERT INTO golden.t (id) VALUES (" + (201 + row) + ")");
            statement.execute(GoldenColumn.update("golden.t", columns, 201 + row, row));
          }
          int events = rows * 4;
          await().atMost(Duration.ofMinutes(5)).until(() -> run.rows().size() >= events);
          Map<List<String>, List<String>> read = new HashMap<>();
          run.rows().stream()
              .filter(row -> row.row().getRowKind() != RowKind.DELETE)
              .map(row -> text.of(row.row()))
              .forEach(values -> read.put(text.keyOf(values), values));
          assertThat(differences(spec, text.rows(connection, "golden.t"), read)).isEmpty();
          assertThat(read).hasSize(3 * rows);
        }
      }
    }
  }

  private static List<String> differences(
      SourceSpec spec,
      Map<List<String>, List<String>> expected,
      Map<List<String>, List<String>> found) {
    List<String> differences = new ArrayList<>();
    expected.forEach(
        (key, values) -> {
          List<String> other = found.get(key);
          if (other == null) {
            differences.add("no row " + key);
            return;
          }
          differences.addAll(
              IntStream.range(0, values.size())
                  .filter(i -> !Objects.equals(values.get(i), other.get(i)))
                  .mapToObj(
                      i ->
                          "row %s, %s %s: expected %s, found %s"
                              .formatted(
                                  key,
                                  spec.layout().columns().get(i).name(),
                                  spec.layout().columns().get(i).sourceType(),
                                  values.get(i),
                                  other.get(i)))
                  .collect(Collectors.toList()));
        });
    return differences;
  }
}
