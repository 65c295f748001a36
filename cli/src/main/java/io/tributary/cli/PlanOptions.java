package io.tributary.cli;

import io.tributary.cli.plan.RegistryPlan;
import io.tributary.cli.plan.RegistryPlanner;
import io.tributary.cli.plan.TableFacts;
import io.tributary.cli.plan.TableSurvey;
import io.tributary.protocol.TableName;
import io.tributary.registry.CatalogSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.TableSpec;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** What the verbs share that plan an edit of the registry. */
final class PlanOptions {
  @Option(
      names = "--offline",
      description =
          "Do not look at the tables: plan from the registries alone, and say what that leaves open.")
  boolean offline;

  /**
   * Plans on top of what is published, with the tables as they are now.
   *
   * @throws CliException when a catalog cannot be asked
   */
  RegistryPlan plan(Optional<Registry> before, Registry after) {
    Map<TableName, TableFacts> facts = new TreeMap<>();
    Set<TableName> leftBehind = new TreeSet<>();
    if (!offline) {
      before.ifPresent(registry -> look(registry, facts));
      Optional<String> elsewhere =
          before
              .map(Registry::catalog)
              .map(CatalogSpec::uri)
              .filter(uri -> !uri.equals(after.catalog().uri()));
      Map<TableName, TableFacts> found = elsewhere.isPresent() ? new TreeMap<>() : facts;
      look(after, found);
      if (elsewhere.isPresent()) {
        found.forEach(
            (table, look) -> {
              if (look instanceof TableFacts.Absent
                  && facts.get(table) instanceof TableFacts.Ours) {
                leftBehind.add(table);
              } else {
                facts.put(table, look);
              }
            });
      }
    }
    return new RegistryPlanner(before, after, facts, leftBehind).plan();
  }

  private static void look(Registry registry, Map<TableName, TableFacts> facts) {
    for (TableSpec table : registry.tables()) {
      facts.computeIfAbsent(table.name(), name -> TableSurvey.look(registry.catalog(), name));
    }
  }
}
