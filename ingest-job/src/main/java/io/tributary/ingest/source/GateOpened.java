package io.tributary.ingest.source;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Tells a reader that it may go on from its restored state.
 *
 * @param serverIdentity the server that the gate was opened for; any other is not to be read
 */
record GateOpened(String serverIdentity) implements SourceEvent {}
