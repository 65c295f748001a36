package io.tributary.ingest.send;

import io.tributary.ingest.seal.TableLayout;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.TableState;

/** What the sender tells; called on the sender's thread. */
interface SenderEvents {
  /** The epoch is on the control topic. */
  void acknowledged(Epoch epoch);

  /** The table has answered the hello. */
  void answered(TableState table, TableLayout layout);

  /** Another submission has taken over: this job ends for good. */
  void superseded(String message);

  /** The sender cannot go on. */
  void failed(Throwable cause);
}
