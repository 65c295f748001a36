/**
 * Compares every shard with the Iceberg table, row by row. Independent of the pipeline: the source
 * side is the MySQL server's own SQL text of each column, the table side is read with Iceberg's
 * generic reader, and both meet in one canonical text per MySQL type.
 */
package io.tributary.cli.verify;
