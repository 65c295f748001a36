package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.InvalidRegistryException;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryProblem;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.Publication;

/** Shows what a registry says, down to the exact tables that will be read. */
final class RegistryView {
  private RegistryView() {}

  /** Who published which version, and when. */
  static ObjectNode json(Publication publication) {
    return Json.object()
        .put("version", publication.version().value())
        .put("publishedBy", publication.publishedBy())
        .put("publishedAt", publication.publishedAt().toString());
  }

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
    for (TableSpec table : registry.tables()) {
      table
          .columnTypes()
          .forEach(
              (column, type) ->
                  terminal.line(
                      "Column '%s' of %s becomes %s; what is lost: %s"
                          .formatted(column, table.name(), type.word(), type.loss())));
    }
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
    ArrayNode types = node.putArray("columnTypes");
    for (TableSpec table : registry.tables()) {
      table
          .columnTypes()
          .forEach(
              (column, type) ->
                  types
                      .addObject()
                      .put("table", table.name().toString())
                      .put("column", column)
                      .put("type", type.word())
                      .put("loss", type.loss()));
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
