/** The coordinator as a Flink job: topology, the loop of one table, and its metrics. */
package io.tributary.coordinator;
