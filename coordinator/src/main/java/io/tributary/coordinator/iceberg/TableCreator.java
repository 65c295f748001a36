package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.UnreadableMessageException;
import java.util.Optional;
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
 * Creates the table that a group's sources propose, with the coordinator's first state in the very
 * request that creates it: there is never a table of ours without a state. Of several coordinators
 * that try at once one wins and the others find its table. An existing table is never altered.
 */
public final class TableCreator {
  private static final Logger LOG = LoggerFactory.getLogger(TableCreator.class);

  /**
   * A Hive metastore that is asked for one namespace twice at once refuses the second request and
   * removes the folder that this one had made: with the tables that are in it by then.
   */
  private static final Object ONE_NAMESPACE_AT_A_TIME = new Object();

  private final Catalog catalog;
  private final TableName name;
  private final TableIdentifier identifier;
  private final TableSettings settings;

  public TableCreator(Catalog catalog, TableName name, TableSettings settings) {
    this.catalog = catalog;
    this.name = name;
    this.identifier = TableIdentifier.parse(name.value());
    this.settings = settings;
  }

  /**
   * Creates the table.
   *
   * @return Done with the first state, Conflict when somebody else's table of ours is there,
   *     TableHalted when a table without the coordinator's state is there or the proposal is no
   *     table, Unknown when the answer was lost, Unreachable when nothing was sent
   */
  public SwapOutcome create(Action.CreateTable wanted) {
    Schema schema;
    PartitionSpec spec;
    try {
      schema = ProposalCheck.schema(wanted.proposal());
      spec = ProposalCheck.spec(wanted.proposal(), schema);
    } catch (RuntimeException e) {
      return new SwapOutcome.TableHalted(
          "Cannot create table %s: %s".formatted(name, e.getMessage()));
    }
    Transaction transaction;
    TableState first;
    try {
      createNamespace();
      transaction =
          catalog
              .buildTable(identifier, schema)
              .withPartitionSpec(spec)
              .withProperties(settings.forNewTable())
              .createTransaction();
      first = wanted.initialState(new TableUuid(transaction.table().uuid()));
      UpdateProperties properties = transaction.updateProperties();
      TableStateCodec.encode(first).forEach(properties::set);
      properties.commit();
    } catch (AlreadyExistsException e) {
      return existing(wanted);
    } catch (RuntimeException e) {
      return new SwapOutcome.Unreachable(describe(e));
    }
    try {
      transaction.commitTransaction();
    } catch (AlreadyExistsException e) {
      return existing(wanted);
    } catch (RuntimeException e) {
      return new SwapOutcome.Unknown(describe(e));
    }
    LOG.info(
        "Created table {} with UUID {}, partitioned by {}, columns {}",
        name,
        first.tableUuid(),
        spec,
        schema.columns());
    return new SwapOutcome.Done(first);
  }

  private SwapOutcome existing(Action.CreateTable wanted) {
    try {
      Table table = catalog.loadTable(identifier);
      Optional<TableState> state = TableStateCodec.decode(table.properties());
      if (state.isEmpty()) {
        return new SwapOutcome.TableHalted(
            "Cannot use table %s: expected a table that the coordinator created, found one without its state; cure: tributary adopt %s, or give the registry another table name"
                .formatted(name, name));
      }
      return state.get().plan().equals(wanted.plan())
          ? new SwapOutcome.Done(state.get())
          : new SwapOutcome.Conflict(state.get());
    } catch (NoSuchTableException e) {
      return new SwapOutcome.Unknown(
          "the catalog said that the table exists and then did not find it");
    } catch (UnreadableMessageException e) {
      return new SwapOutcome.TableHalted("Cannot use table " + name + ": " + e.getMessage());
    } catch (RuntimeException e) {
      return new SwapOutcome.Unknown(describe(e));
    }
  }

  private static String describe(RuntimeException e) {
    return e.getClass().getSimpleName() + ": " + e.getMessage();
  }

  private void createNamespace() {
    if (catalog instanceof SupportsNamespaces namespaces) {
      Namespace namespace = identifier.namespace();
      synchronized (ONE_NAMESPACE_AT_A_TIME) {
        if (!namespaces.namespaceExists(namespace)) {
          try {
            namespaces.createNamespace(namespace);
          } catch (AlreadyExistsException e) {
            LOG.debug("Namespace {} was created meanwhile", namespace, e);
          }
        }
      }
    }
  }
}
