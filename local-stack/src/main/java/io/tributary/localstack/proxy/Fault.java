package io.tributary.localstack.proxy;

/** What becomes of a request, or of its answer. */
public enum Fault {
  /**
   * The request waits in the proxy until it is released, also when its client has long given up.
   */
  HOLD_REQUEST,
  /** The server gets the request; the answer waits in the proxy until it is released. */
  HOLD_REPLY,
  /** The request disappears; the connection stays open and nothing ever comes. */
  DROP_REQUEST,
  /** The server gets the request; the answer disappears, and the connection stays open. */
  DROP_REPLY,
  /** The connection is cut before the server gets the request. */
  CUT_REQUEST,
  /** The server gets the request; the connection is cut before its answer gets through. */
  CUT_REPLY;
}
