/**
 * The table as the ledger: the coordinator's state in table properties, written with the data in
 * one compare-and-set of the table's metadata.
 */
package io.tributary.coordinator.iceberg;
