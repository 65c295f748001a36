package io.tributary.loadtests.bench;

/** A way by which the rows of one and the same source end. */
enum Side {
  /** The product: ingest job, control topic, coordinator. */
  TRIBUTARY("tributary"),
  /** Iceberg's own sink, rows by their key. */
  SINK_UPSERT("flinkSinkUpsert"),
  /** Iceberg's own sink, every row and every change a row of the table. */
  SINK_APPEND("flinkSinkAppend"),
  /** Nowhere: as fast as the source can. */
  DISCARDING("discarding");

  private final String word;

  Side(String word) {
    this.word = word;
  }

  /** Whether a table comes of it. */
  boolean hasTable() {
    return this != DISCARDING;
  }

  /** As in results. */
  String word() {
    return word;
  }
}
