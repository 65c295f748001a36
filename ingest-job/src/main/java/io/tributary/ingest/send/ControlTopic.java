package io.tributary.ingest.send;

/** The control topic as its writer sees it. Used by one thread. */
interface ControlTopic extends AutoCloseable {
  /**
   * Appends one message and waits until the brokers have it for good. When it fails the message may
   * or may not be there: append it again.
   *
   * @return the message's offset
   * @throws ControlTopicException when it is not known to be there
   * @throws MessageTooLargeException when the topic does not take a message of this size
   * @throws InterruptedException when the thread is to end
   */
  long append(byte[] message) throws InterruptedException;

  @Override
  void close();
}
