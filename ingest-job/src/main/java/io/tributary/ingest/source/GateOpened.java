package io.tributary.ingest.source;

import org.apache.flink.api.connector.source.SourceEvent;

/** Tells a reader that it may go on from its restored state. */
final class GateOpened implements SourceEvent {}
