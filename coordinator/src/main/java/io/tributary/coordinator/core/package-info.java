/** The coordinator's decisions: pure, without Flink, Kafka, Iceberg, clock or thread. */
package io.tributary.coordinator.core;
