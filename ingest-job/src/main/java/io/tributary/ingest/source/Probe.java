package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.util.Objects;

/**
 * What a server said of itself, asked in this order: who it is, what time it is, how far its binlog
 * goes. Everything that it committed before the clock was read lies before the position.
 *
 * @param identity tells servers apart
 * @param clock the server's clock
 * @param position the end of its binlog, read after the clock
 */
record Probe(String identity, Watermark clock, SourcePosition position) {
  Probe {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(position, "position");
  }
}
