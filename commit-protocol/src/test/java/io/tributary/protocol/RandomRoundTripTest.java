package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RandomRoundTripTest {
  private static final int MESSAGES = 200;

  @Test
  void controlMessagesComeBackAsTheyWereSent() {
    long seed = RandomMessages.seed("controlMessagesComeBackAsTheyWereSent");
    RandomMessages messages = new RandomMessages(new Random(seed));
    for (int i = 0; i < MESSAGES; i++) {
      ControlMessage message = messages.controlMessage();
      byte[] bytes = ControlMessageCodec.encode(message);
      assertThat(ControlMessageCodec.decode(bytes))
          .as("seed %d, message %d", seed, i)
          .isEqualTo(message);
      assertThat(ControlMessageCodec.encode(ControlMessageCodec.decode(bytes))).isEqualTo(bytes);
    }
  }

  @Test
  void tableStatesComeBackAsTheyWereWritten() {
    long seed = RandomMessages.seed("tableStatesComeBackAsTheyWereWritten");
    RandomMessages messages = new RandomMessages(new Random(seed));
    for (int i = 0; i < MESSAGES; i++) {
      TableState state = messages.tableState();
      assertThat(TableStateCodec.decode(TableStateCodec.encode(state)))
          .as("seed %d, state %d", seed, i)
          .contains(state);
    }
  }

  @Test
  void commitStatusesComeBackAsTheyWerePublished() {
    long seed = RandomMessages.seed("commitStatusesComeBackAsTheyWerePublished");
    RandomMessages messages = new RandomMessages(new Random(seed));
    for (int i = 0; i < MESSAGES; i++) {
      CommitStatus status = messages.commitStatus();
      assertThat(CommitStatusCodec.decode(CommitStatusCodec.encode(status)))
          .as("seed %d, status %d", seed, i)
          .isEqualTo(status);
    }
  }
}
