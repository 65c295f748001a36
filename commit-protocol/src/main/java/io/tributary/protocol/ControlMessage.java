package io.tributary.protocol;

/** What an ingest job sends to the coordinator on a table's control topic. */
public sealed interface ControlMessage permits Hello, Committable, SchemaRequest {
  TableName table();

  GroupName group();

  Incarnation incarnation();

  SubmissionId submission();
}
