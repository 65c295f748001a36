/**
 * Reading the commit-status topic: the last status, waiting for a watermark, following the rounds.
 * Needs Kafka's client and nothing else, neither Flink nor Iceberg.
 */
package io.tributary.protocol.reader;
