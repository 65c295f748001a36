/** The control topic, read to the letter; the commit-status topic, written exactly once. */
package io.tributary.coordinator.kafka;
