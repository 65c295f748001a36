/**
 * What a MySQL server says of itself, and what of it would lose rows: asked when a job is
 * submitted, and by {@code tributary registry check}. Knows JDBC, and neither Flink nor Kafka or
 * Iceberg.
 */
package io.tributary.ingest.server;
