package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommitStatusSchemaTest {
  private static final JsonSchema SCHEMA = schema();
  private static final String JSON =
      new String(
          CommitStatusCodec.encode(CommitStatus.of(Samples.TABLE, Samples.state())),
          StandardCharsets.UTF_8);

  @Test
  void theSchemaItselfIsASchema() throws IOException {
    JsonSchema meta =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(
                com.networknt.schema.SchemaLocation.of(
                    "https://json-schema.org/draft/2020-12/schema"));
    assertThat(meta.validate(schemaText(), InputFormat.JSON)).isEmpty();
  }

  @Test
  void everyEncodedMessageFitsTheSchema() {
    assertThat(problems(JSON)).isEmpty();
    for (TableState state : new TableState[] {Samples.emptyState(), LargeSamples.state()}) {
      assertThat(problems(encoded(CommitStatus.of(Samples.TABLE, state)))).isEmpty();
    }
  }

  @Test
  void randomMessagesFitTheSchema() {
    long seed = RandomMessages.seed("CommitStatusSchemaTest");
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      String json = encoded(new RandomMessages(random).commitStatus());
      assertThat(problems(json)).as("seed %d, message %d: %s", seed, i, json).isEmpty();
    }
  }

  @Test
  void moreFieldsAreAllowed() {
    assertThat(problems(JSON.replace("\"round\":17", "\"round\":17,\"more\":{}"))).isEmpty();
  }

  @Test
  void everyFieldIsDescribed() throws IOException {
    var root = new com.fasterxml.jackson.databind.ObjectMapper().readTree(schemaText());
    Set<String> bare = new TreeSet<>();
    undescribed("", root, root, bare);
    assertThat(bare).isEmpty();
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"snapshotId\":\"9007199254740993\"|\"snapshotId\":9007199254740993",
        "\"snapshotId\":\"9007199254740993\"|\"snapshotId\":\"-1\"",
        "\"round\":17|\"round\":0",
        "\"round\":17|\"round\":\"17\"",
        "\"round\":17|\"round\":9007199254740993",
        "\"round\":17,|",
        "\"notCovered\":|\"covered\":",
        "\"reason\":\"halted\"|\"reason\":\"tired\"",
        "\"phase\":\"active\"|\"phase\":\"awake\"",
        "\"validThrough\":\"2026-11-30T01:59:58.500000Z\"|\"validThrough\":\"2026-11-30T01:59:58Z\"",
        "\"validThrough\":\"2026-11-30T01:59:58.500000Z\"|\"validThrough\":1796003998500",
        "\"specversion\":\"1.0\"|\"specversion\":\"0.3\"",
        "commit-status.v1|commit-status.v2",
        "\"table\":\"shop.products\"|\"table\":\"products\"",
        "\"shard\":12|\"shard\":-12",
        "\"bytes\":210000|\"bytes\":-1",
        "\"dataRound\":true|\"dataRound\":\"true\"",
        "\"tableUuid\":\"0d9f|\"tableUuid\":\"zd9f",
      })
  void aMessageThatDoesNotFitIsRefused(String part, String changed) {
    assertThat(JSON).contains(part);
    String other = JSON.replace(part, changed == null ? "" : changed);
    assertThat(problems(other)).isNotEmpty();
  }

  private static void undescribed(
      String at,
      com.fasterxml.jackson.databind.JsonNode root,
      com.fasterxml.jackson.databind.JsonNode node,
      Set<String> bare) {
    if (node.path("properties").isObject()) {
      node.path("properties")
          .properties()
          .forEach(
              entry -> {
                String target = entry.getValue().path("$ref").asText("");
                boolean described =
                    entry.getValue().has("description")
                        || (target.startsWith("#")
                            && root.at(target.substring(1)).has("description"));
                if (!described) {
                  bare.add(at + "." + entry.getKey());
                }
              });
    }
    node.properties()
        .forEach(entry -> undescribed(at + "." + entry.getKey(), root, entry.getValue(), bare));
  }

  private static Set<String> problems(String json) {
    Set<String> problems = new TreeSet<>();
    SCHEMA
        .validate(
            json,
            InputFormat.JSON,
            context -> context.getExecutionConfig().setFormatAssertionsEnabled(true))
        .forEach(problem -> problems.add(problem.toString()));
    return problems;
  }

  private static String encoded(CommitStatus status) {
    return new String(CommitStatusCodec.encode(status), StandardCharsets.UTF_8);
  }

  private static String schemaText() throws IOException {
    try (InputStream in =
        CommitStatusCodec.class.getResourceAsStream(CommitStatusCodec.SCHEMA_RESOURCE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static JsonSchema schema() {
    try {
      return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(schemaText());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
