package io.tributary.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryDiff;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tributary registry history}. */
@Command(
    name = "history",
    header = "Show who published which version of the registry, and what it changed.",
    description = {
      "Show the published versions, the newest first: when, by whom, and how each differs from the",
      "one before. Exits 1 when nothing was published."
    })
final class RegistryHistoryCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private CommonOptions common;
  @Mixin private RegistryPlace place;

  @Option(
      names = "--last",
      paramLabel = "N",
      defaultValue = "10",
      converter = CountConverter.class,
      description = "How many versions to show. Default: 10.")
  private int last;

  RegistryHistoryCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** A version with what it changed. */
  private record Entry(Publication publication, List<String> changes) {}

  @Override
  public Integer call() {
    if (last < 1) {
      throw new CliException(
          ExitCode.USAGE, "Cannot show the history: expected --last of at least 1, found " + last);
    }
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(place.address())) {
      List<Entry> entries = entries(new RegistryStore(connection, Clock.systemUTC()));
      if (entries.isEmpty()) {
        throw new CliException(
            ExitCode.NO,
            "Cannot show the registry's history: expected a published version at %s, found none"
                .formatted(place.address()));
      }
      if (common.json()) {
        terminal.line(Json.pretty(json(entries)));
      } else {
        entries.forEach(this::show);
      }
      return ExitCode.OK;
    }
  }

  private List<Entry> entries(RegistryStore store) {
    List<RegistryVersion> versions = store.versions();
    int first = Math.max(0, versions.size() - last);
    Optional<Registry> before =
        first == 0
            ? Optional.empty()
            : store.version(versions.get(first - 1)).map(Publication::registry);
    List<Entry> entries = new ArrayList<>();
    for (RegistryVersion version : versions.subList(first, versions.size())) {
      Publication publication = store.version(version).orElseThrow();
      entries.add(
          new Entry(
              publication,
              RegistryPlace.lines(RegistryDiff.between(before, publication.registry()))));
      before = Optional.of(publication.registry());
    }
    Collections.reverse(entries);
    return entries;
  }

  private void show(Entry entry) {
    Publication publication = entry.publication();
    terminal.line(
        terminal.bold("version " + publication.version())
            + ", published by %s at %s"
                .formatted(publication.publishedBy(), publication.publishedAt()));
    entry.changes().forEach(change -> terminal.line("  " + change));
  }

  private static ObjectNode json(List<Entry> entries) {
    ObjectNode root = Json.object();
    ArrayNode all = root.putArray("versions");
    for (Entry entry : entries) {
      ObjectNode node = RegistryView.json(entry.publication());
      all.add(node);
      entry.changes().forEach(node.putArray("changes")::add);
    }
    return root;
  }
}
