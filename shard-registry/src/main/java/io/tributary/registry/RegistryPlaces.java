package io.tributary.registry;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Where the parts of a registry stand in the file that they were read from. */
public final class RegistryPlaces {
  /** Of a registry that was not read from a file. */
  public static final RegistryPlaces NONE = new RegistryPlaces("", Map.of(), Map.of());

  /**
   * A line of the file.
   *
   * @param file as it was named to the parser
   * @param line counted from 1
   */
  public record Place(String file, int line) {
    public Place {
      Objects.requireNonNull(file, "file");
    }

    /** As compilers write it: {@code registry.yaml:12}. */
    @Override
    public String toString() {
      return file + ":" + line;
    }
  }

  /** A shard's number within its table. */
  record Numbered(TableName table, ShardId id) {}

  private final String file;
  private final Map<String, Integer> lines;
  private final Map<Numbered, String> shards;

  /**
   * @param lines by key path
   * @param shards the key path of the entry that stands for each shard
   */
  RegistryPlaces(String file, Map<String, Integer> lines, Map<Numbered, String> shards) {
    this.file = file;
    this.lines = Map.copyOf(lines);
    this.shards = Map.copyOf(shards);
  }

  public Optional<Place> catalog() {
    return at("catalog");
  }

  public Optional<Place> kafka() {
    return at("kafka");
  }

  public Optional<Place> server(ServerName name) {
    return at("servers." + name);
  }

  public Optional<Place> table(TableName name) {
    return at("tables." + name);
  }

  public Optional<Place> group(GroupName name) {
    return at("groups." + name);
  }

  /** The entry that stands for the shard: one may stand for many. */
  public Optional<Place> shard(TableName table, ShardId id) {
    return Optional.ofNullable(shards.get(new Numbered(table, id))).flatMap(this::at);
  }

  private Optional<Place> at(String path) {
    return Optional.ofNullable(lines.get(path)).map(line -> new Place(file, line));
  }
}
