package io.tributary.coordinator.iceberg;

import io.tributary.protocol.FileCounts;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.UnreadableMessageException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.UUID;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the table that the groups' sources propose, with the coordinator's first state in the very
 * request that creates it: there is never a table of ours without a state. Of several coordinators
 * that try at once one wins and the others find its table. An existing table is compared, never
 * altered.
 */
public final class TableCreator {
  private static final Logger LOG = LoggerFactory.getLogger(TableCreator.class);

  private final Catalog catalog;
  private final TableName name;
  private final TableIdentifier identifier;
  private final TableSettings settings;
  private final Clock clock;
  private final Supplier<UUID> ids;

  public TableCreator(
      Catalog catalog,
      TableName name,
      TableSettings settings,
      Clock clock,
      Supplier<UUID> ids) {
    this.catalog = catalog;
    this.name = name;
    this.identifier = TableIdentifier.parse(name.value());
    this.settings = settings;
    this.clock = clock;
    this.ids = ids;
  }

  /** Creates the table unless it is there, and compares it with the proposal. */
  public TableCreation ensure(TableProposal proposal) {
    Schema schema;
    PartitionSpec spec;
    try {
      schema = ProposalCheck.schema(proposal);
      spec = ProposalCheck.spec(proposal, schema);
    } catch (RuntimeException e) {
      return new TableCreation.Mismatch(String.valueOf(e.getMessage()));
    }
    try {
      boolean created = false;
      Optional<Table> table = load();
      if (table.isEmpty()) {
        created = create(schema, spec);
        table = load();
      }
      if (table.isEmpty()) {
        return new TableCreation.Unreachable(
            "the catalog said that table " + name + " exists and then did not find it");
      }
      return compare(table.get(), proposal, created);
    } catch (UnreadableMessageException e) {
      return new TableCreation.Refused("Cannot use table " + name + ": " + e.getMessage());
    } catch (RuntimeException e) {
      // Also the lost answer of a creation: the next try finds the table or creates it.
      return new TableCreation.Unreachable(e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  private Optional<Table> load() {
    try {
      return Optional.of(catalog.loadTable(identifier));
    } catch (NoSuchTableException e) {
      return Optional.empty();
    }
  }

  private TableCreation compare(Table table, TableProposal proposal, boolean created) {
    Optional<TableState> state = TableStateCodec.decode(table.properties());
    if (state.isEmpty()) {
      return new TableCreation.Refused(
          "Cannot use table %s: expected a table that the coordinator created, found one without its state%s; adopt it explicitly, or give the registry another table name"
              .formatted(
                  name,
                  table.currentSnapshot() == null
                      ? " and without data"
                      : " and with data in snapshot " + table.currentSnapshot().snapshotId()));
    }
    List<String> differences =
        ProposalCheck.differences(proposal, table.schema(), table.spec());
    if (!differences.isEmpty()) {
      return new TableCreation.Mismatch(
          "Cannot write to table %s: %s".formatted(name, String.join("; ", differences)));
    }
    return new TableCreation.Ready(state.get(), created);
  }

  private boolean create(Schema schema, PartitionSpec spec) {
    createNamespace();
    Transaction transaction;
    try {
      transaction =
          catalog
              .buildTable(identifier, schema)
              .withPartitionSpec(spec)
              .withProperties(settings.forNewTable())
              .createTransaction();
    } catch (AlreadyExistsException e) {
      return false;
    }
    TableState first = firstState(new TableUuid(transaction.table().uuid()));
    UpdateProperties properties = transaction.updateProperties();
    TableStateCodec.encode(first).forEach(properties::set);
    properties.commit();
    try {
      transaction.commitTransaction();
    } catch (AlreadyExistsException e) {
      return false;
    }
    LOG.info(
        "Created table {} with UUID {}, partitioned by {}, columns {}",
        name,
        first.tableUuid(),
        spec,
        schema.columns());
    return true;
  }

  private void createNamespace() {
    if (catalog instanceof SupportsNamespaces namespaces) {
      Namespace namespace = identifier.namespace();
      if (!namespaces.namespaceExists(namespace)) {
        try {
          namespaces.createNamespace(namespace);
        } catch (AlreadyExistsException e) {
          LOG.debug("Namespace {} was created meanwhile", namespace, e);
        }
      }
    }
  }

  private TableState firstState(TableUuid uuid) {
    return new TableState(
        uuid,
        new RoundNumber(0),
        new Term(0),
        new OwnerId(ids.get()),
        new PlanId(ids.get()),
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        clock.instant(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>());
  }
}
