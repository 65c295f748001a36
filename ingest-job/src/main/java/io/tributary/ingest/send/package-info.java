/** Hands sealed epochs to the coordinator through the control topic. */
package io.tributary.ingest.send;
