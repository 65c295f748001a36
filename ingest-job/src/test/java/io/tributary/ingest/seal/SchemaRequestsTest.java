package io.tributary.ingest.seal;

import static io.tributary.ingest.seal.SealerFixtures.GROUP;
import static io.tributary.ingest.seal.SealerFixtures.NOW;
import static io.tributary.ingest.seal.SealerFixtures.SHARD_1;
import static io.tributary.ingest.seal.SealerFixtures.SHARD_2;
import static io.tributary.ingest.seal.SealerFixtures.TABLE;
import static io.tributary.ingest.seal.SealerFixtures.UUID_OF_TABLE;
import static io.tributary.ingest.seal.SealerFixtures.submission;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.source.SchemaWish;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableUuid;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SchemaRequestsTest {
  private static final Optional<TableUuid> OPEN = Optional.of(UUID_OF_TABLE);
  private static final SourcePosition HERE = SourcePosition.of("binlog.000001", 4_711);
  private static final List<RequestedColumn> PRICE = List.of(new RequestedColumn("price", "long"));

  private final SchemaRequests requests = requests(EnumSet.allOf(SealerProtection.class));

  private static SchemaRequests requests(Set<SealerProtection> protections) {
    return new SchemaRequests(submission(4), SchemaRequests.PATIENCE, protections);
  }

  private static SchemaWish wish(ShardId shard) {
    return new SchemaWish(shard, PRICE, HERE);
  }

  @Test
  void asksAtOnceInTheNameOfTheSubmission() {
    assertThat(requests.ask(wish(SHARD_1), OPEN, NOW))
        .contains(
            new SchemaRequest(
                TABLE,
                UUID_OF_TABLE,
                GROUP,
                submission(4).incarnation(),
                submission(4).id(),
                SHARD_1,
                PRICE,
                HERE,
                NOW));
    assertThat(requests.ask(wish(SHARD_2), OPEN, NOW)).isPresent();
  }

  @Test
  void asksAgainOnlyWhenNothingCameOfItForLong() {
    requests.ask(wish(SHARD_1), OPEN, NOW);
    Instant due = NOW.plus(SchemaRequests.PATIENCE);
    assertThat(requests.ask(wish(SHARD_1), OPEN, NOW)).isEmpty();
    assertThat(requests.ask(wish(SHARD_1), OPEN, due.minusMillis(1))).isEmpty();
    assertThat(requests.ask(wish(SHARD_1), OPEN, due)).isPresent();
    assertThat(requests.ask(wish(SHARD_1), OPEN, due.plusMillis(1))).isEmpty();
  }

  @Test
  void asksAgainWhenTheClockWasSetBack() {
    requests.ask(wish(SHARD_1), OPEN, NOW);
    assertThat(requests.ask(wish(SHARD_1), OPEN, NOW.minusSeconds(1))).isPresent();
  }

  @Test
  void asksNobodyBeforeTheTableIsKnownAndThenAtOnce() {
    assertThat(requests.ask(wish(SHARD_1), Optional.empty(), NOW)).isEmpty();
    assertThat(requests.ask(wish(SHARD_1), OPEN, NOW)).isPresent();
  }

  @Test
  void withoutAskingAgainALostRequestIsLostForGood() {
    SchemaRequests once = requests(EnumSet.complementOf(EnumSet.of(SealerProtection.ASK_AGAIN)));
    once.ask(wish(SHARD_1), OPEN, NOW);
    assertThat(once.ask(wish(SHARD_1), OPEN, NOW.plusSeconds(86_400))).isEmpty();
  }
}
