package io.tributary.ingest.send;

import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.source.SourceMark;
import java.util.Objects;

/** A mark and the source that said it: a server may have more than one. */
public record SourceReport(SourceId source, SourceMark mark) {
  public SourceReport {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(mark, "mark");
  }
}
