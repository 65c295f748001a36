package io.tributary.cli;

import io.tributary.protocol.TableName;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import java.util.Optional;

/** Which of a registry's tables is meant. */
final class TableChoice {
  private TableChoice() {}

  /** The named table, or the only one there is. */
  static TableSpec of(Registry registry, Optional<String> named) {
    if (named.isPresent()) {
      return registry.table(new TableName(named.get()));
    }
    if (registry.tables().size() != 1) {
      throw new CliException(
          ExitCode.USAGE,
          "Cannot choose a table: expected --table with one of %s, found none"
              .formatted(registry.tables().stream().map(TableSpec::name).toList()));
    }
    return registry.tables().get(0);
  }
}
