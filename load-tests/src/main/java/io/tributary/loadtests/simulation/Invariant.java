package io.tributary.loadtests.simulation;

/** What must hold after each event. */
public enum Invariant {
  EPOCH_ONCE("each sealed epoch is in at most one round, in the order of its chain"),
  SLICES_IN_ORDER("a round holds exactly the slices of its epochs, in order"),
  ROWS_EXACT("a shard's rows are its server's rows at the position that its last epoch reached"),
  FILES_EXIST("every file that a snapshot references exists"),
  OWNER_ONLY("only the owner's files and epochs touch a shard"),
  ROUNDS_CONTIGUOUS("rounds are counted without a gap"),
  TERM_NEVER_FALLS("terms never fall"),
  POSITION_NEVER_BACK("a source's position never goes back"),
  WATERMARK_NEVER_BACK("the table's watermark never goes back"),
  WATERMARK_HONEST("the watermark never exceeds what is known to be complete"),
  ANNOUNCED_IN_TABLE("nothing is announced that cannot be read in the table"),
  ANNOUNCED_ONCE("each round is announced once, in order, before the next one is made"),
  HALT_HAS_CAUSE("a group is halted only by a fault of its own, and the halt names it"),
  STOP_HAS_CAUSE("a coordinator stops only when somebody tampered with the table"),
  TAMPERING_NOTICED("no round is made on a table that was rolled back, restored or re-created"),
  DEPOSED_ENDS("a coordinator that saw a newer one in the table changes nothing any more"),
  COLUMN_ADDED_ONCE("a column has one field id, however many ask for it"),
  COLUMNS_KEPT("a round takes no column from the table and makes none narrower"),
  COLUMNS_FIRST("no file of a round lacks a column that the shard of its rows has"),
  SCHEMA_IN_TABLE(
      "the fields of a round's files mean in the table what they meant to their writer"),
  REQUEST_CARRIED_OUT("a round that lets go of a request has its columns"),
  REQUEST_FENCED("a round has no column that only superseded submissions asked for"),
  REQUEST_ANSWERED("no source of a job that counts waits for columns for ever"),
  COMES_TO_REST("when faults end, everything sealed is committed and announced"),
  NO_PROGRAM_FAULT("no core throws");

  private final String text;

  Invariant(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
