package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.StackEndpoints;
import io.tributary.localstack.StackProcess;

/** Shows a running local stack. */
final class LocalStackView {
  private LocalStackView() {}

  static void print(Terminal terminal, boolean json, AttachedStack stack) {
    if (json) {
      terminal.line(Json.pretty(json(stack)));
      return;
    }
    StackEndpoints endpoints = stack.endpoints();
    TextTable processes = new TextTable("process", "pid", "state");
    for (String name : stack.processNames()) {
      StackProcess process = stack.process(name);
      processes.row(
          name,
          process.isAlive() ? Long.toString(process.pid()) : "-",
          process.isAlive() ? "up" : "down");
    }
    processes.lines().forEach(terminal::line);
    terminal.line("");
    endpoints
        .mariaDb()
        .forEach(
            server -> terminal.line(server.name() + "    " + server.host() + ":" + server.port()));
    terminal.line("kafka        " + endpoints.kafkaBootstrapServers());
    terminal.line("zookeeper    " + endpoints.zooKeeper());
    terminal.line("metastore    " + endpoints.metastoreUri());
    terminal.line("Flink UI     " + endpoints.flink().webUi());
    terminal.line("logs         " + stack.logs());
  }

  private static ObjectNode json(AttachedStack stack) {
    StackEndpoints endpoints = stack.endpoints();
    ObjectNode node = Json.object().put("up", stack.isAlive());
    ArrayNode processes = node.putArray("processes");
    for (String name : stack.processNames()) {
      StackProcess process = stack.process(name);
      ObjectNode entry = processes.addObject().put("name", name).put("up", process.isAlive());
      if (process.isAlive()) {
        entry.put("pid", process.pid());
      }
    }
    ArrayNode servers = node.putArray("mariadb");
    endpoints
        .mariaDb()
        .forEach(
            server ->
                servers
                    .addObject()
                    .put("name", server.name())
                    .put("host", server.host())
                    .put("port", server.port()));
    node.put("kafka", endpoints.kafkaBootstrapServers());
    node.put("zookeeper", endpoints.zooKeeper());
    node.put("metastore", endpoints.metastoreUri());
    node.put("warehouse", endpoints.warehouse().toString());
    node.put("flinkUi", endpoints.flink().webUi().toString());
    node.put("logs", stack.logs().toString());
    return node;
  }
}
