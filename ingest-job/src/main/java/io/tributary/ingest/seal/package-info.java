/**
 * Decides what an epoch is and when it is sent. Pure: no Flink, no Kafka, no Iceberg, no clock and
 * no thread.
 */
package io.tributary.ingest.seal;
