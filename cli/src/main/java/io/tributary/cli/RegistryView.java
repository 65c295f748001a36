package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.InvalidRegistryException;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryProblem;
import io.tributary.registry.ShardSpec;

/** Shows what a registry says, down to the exact tables that will be read. */
final class RegistryView {
  private RegistryView() {}

  static void text(Terminal terminal, Registry registry) {
    terminal.line(
        "%d tables, %d groups, %d servers, %d shards"
            .formatted(
                registry.tables().size(),
                registry.groups().size(),
                registry.servers().size(),
                registry.shards().size()));
    terminal.line("");
    TextTable shards = new TextTable("table", "shard", "group", "server", "source", "state");
    for (ShardSpec shard : registry.shards()) {
      shards.row(
          shard.table().toString(),
          shard.id().toString(),
          shard.group().toString(),
          shard.server().toString(),
          shard.source().toString(),
          shard.state().word());
    }
    shards.lines().forEach(terminal::line);
  }

  static ObjectNode json(Registry registry) {
    ObjectNode node = Json.object();
    registry.version().ifPresent(version -> node.put("version", version.value()));
    ArrayNode shards = node.putArray("shards");
    for (ShardSpec shard : registry.shards()) {
      shards
          .addObject()
          .put("table", shard.table().toString())
          .put("shard", shard.id().value())
          .put("group", shard.group().toString())
          .put("server", shard.server().toString())
          .put("database", shard.source().database())
          .put("sourceTable", shard.source().table())
          .put("state", shard.state().word());
    }
    return node;
  }

  static ObjectNode problems(InvalidRegistryException refused) {
    ObjectNode node = Json.object().put("valid", false);
    ArrayNode problems = node.putArray("problems");
    for (RegistryProblem problem : refused.problems()) {
      problems
          .addObject()
          .put("file", problem.file())
          .put("line", problem.line())
          .put("column", problem.column())
          .put("key", problem.key())
          .put("expected", problem.expected())
          .put("found", problem.found())
          .put("cure", problem.cure());
    }
    return node;
  }
}
