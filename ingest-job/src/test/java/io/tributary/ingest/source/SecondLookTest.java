package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.SourcePosition;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SecondLookTest {
  private static final SourcePosition SENT = at(500, "a:1-9");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
  private final SecondLook look = new SecondLook(nanos::get);

  @Test
  void waitsForWhatIsNotCountedYet() {
    assertThat(look.at(SENT, at(500, "a:1-8"))).isEqualTo(new SecondLook.Later());
    nanos.addAndGet(SecondLook.PATIENCE.toNanos() - 1);
    assertThat(look.at(SENT, at(500, "a:1-8"))).isEqualTo(new SecondLook.Later());
    assertThat(look.at(SENT, at(500, "a:1-9"))).isEqualTo(new SecondLook.Whole());
  }

  @Test
  void beginsToWaitAnewOnceItWasWhole() {
    assertThat(look.at(SENT, at(500, "a:1-8"))).isEqualTo(new SecondLook.Later());
    assertThat(look.at(SENT, at(500, "a:1-9"))).isEqualTo(new SecondLook.Whole());
    nanos.addAndGet(SecondLook.PATIENCE.toNanos());
    assertThat(look.at(at(600, "a:1-10"), at(600, "a:1-9"))).isEqualTo(new SecondLook.Later());
  }

  @Test
  void saysThatItIsLostByALookBehindThePatience() {
    assertThat(look.at(SENT, at(500, "a:1-8"))).isEqualTo(new SecondLook.Later());
    nanos.addAndGet(SecondLook.PATIENCE.toNanos());
    assertThat(look.at(SENT, at(500, "a:1-8")))
        .isInstanceOfSatisfying(
            SecondLook.Lost.class,
            lost -> assertThat(lost.fault()).contains("a:1-8").contains("cure: "));
  }

  /** The end of the file is known at once, also with GTIDs. */
  @Test
  void aLogThatIsShorterThanWhatWasSentIsLostAtOnce() {
    assertThat(look.at(SENT, at(499, "a:1-8"))).isInstanceOf(SecondLook.Lost.class);
    assertThat(
            look.at(
                SourcePosition.of("binlog.000001", 500), SourcePosition.of("binlog.000001", 499)))
        .isInstanceOf(SecondLook.Lost.class);
  }

  private static SourcePosition at(long position, String gtids) {
    return new SourcePosition("binlog.000001", position, Optional.of(gtids), 0, 0);
  }
}
