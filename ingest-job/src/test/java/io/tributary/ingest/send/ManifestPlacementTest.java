package io.tributary.ingest.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableUuid;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ManifestPlacementTest {
  private final List<Long> stored = new ArrayList<>();
  private final ManifestPlacement placement =
      new ManifestPlacement(
          1_000,
          (committable, manifest) -> {
            stored.add(manifest.length());
            return new CommittableManifest.Stored(
                manifest.content(), "file:/m", manifest.length(), manifest.sha256());
          });

  static Committable committable(long epoch, int... manifestSizes) {
    TableUuid uuid = new TableUuid(new UUID(1, 1));
    GroupName group = new GroupName("g");
    List<Slice> slices = new ArrayList<>();
    for (int size : manifestSizes) {
      slices.add(
          Slice.of(
              List.of(CommittableManifest.Inline.of(ManifestContent.DATA, new byte[size])),
              new FileCounts(1, 1, 0, 0, 0, 0, 1)));
    }
    ChainHash first = ChainHash.first(uuid, group);
    ChainHash chain =
        ChainHash.of(uuid, group, new Epoch(epoch), first, slices, List.of(), List.of());
    return new Committable(
        new TableName("a.b"),
        uuid,
        group,
        new Incarnation(1),
        new SubmissionId(new UUID(2, 2)),
        new Epoch(epoch),
        first,
        chain,
        0,
        0,
        2,
        0,
        epoch,
        Instant.EPOCH,
        slices,
        List.of(),
        List.of());
  }

  @Test
  void whatFitsTravelsInTheMessage() {
    Committable small = committable(1, 400, 600);

    assertThat(placement.place(small)).isSameAs(small);
    assertThat(stored).isEmpty();
  }

  @Test
  void theLargestAreStoredUntilTheRestFitsAndTheChainStaysTheSame() {
    Committable large = committable(1, 300, 900, 400, 700);

    Committable placed = placement.place(large);

    assertThat(stored).containsExactly(900L, 700L);
    assertThat(placed.chain()).isEqualTo(large.chain());
    assertThat(placed.slices())
        .extracting(slice -> slice.manifests().get(0).getClass().getSimpleName())
        .containsExactly("Inline", "Stored", "Inline", "Stored");
  }
}
