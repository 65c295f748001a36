package io.tributary.protocol;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.regex.Pattern;

/**
 * SHA-256 over an epoch's content and the hash before it: the epochs of one group on one table form
 * a chain, so that a job which was rewound cannot pass for the one that went on.
 *
 * <p>The incarnation is left out on purpose: a new submission that continues from a committed epoch
 * continues its chain. So is what says how the job ran and not what it brings: submission,
 * checkpoint, registry version, time of sealing. Schema and spec are in the manifests' own bytes.
 *
 * @param value 64 lower-case hexadecimal digits
 */
public record ChainHash(String value) {
  private static final Pattern ALLOWED = Pattern.compile("[0-9a-f]{64}");

  /**
   * @throws IllegalArgumentException when the value has another form
   */
  public ChainHash {
    Objects.requireNonNull(value, "value");
    if (!ALLOWED.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "Cannot use '" + value + "' as a chain hash: expected 64 lower-case hexadecimal digits");
    }
  }

  /** The hash before a group's first epoch on a table. */
  public static ChainHash first(TableUuid table, GroupName group) {
    return digest(
        out -> {
          write(out, "first");
          write(out, table.toString());
          write(out, group.value());
        });
  }

  /**
   * The hash before the first epoch after an operator's decision: no epoch that was sealed before
   * it, whatever its number, is followed by one that fits.
   *
   * @param owner the decision's own, never used before
   */
  public static ChainHash anew(TableUuid table, GroupName group, OwnerId owner) {
    return digest(
        out -> {
          write(out, "anew");
          write(out, table.toString());
          write(out, group.value());
          write(out, owner.toString());
        });
  }

  /** The hash of an epoch: its place in the chain, its files and where its sources stood. */
  public static ChainHash of(
      TableUuid table,
      GroupName group,
      Epoch epoch,
      ChainHash previous,
      List<Slice> slices,
      List<ShardProgress> shards,
      List<SourceProgress> sources) {
    return digest(
        out -> {
          write(out, "epoch");
          write(out, table.toString());
          write(out, group.value());
          out.writeLong(epoch.value());
          write(out, previous.value());
          out.writeInt(slices.size());
          for (Slice slice : slices) {
            writeSlice(out, slice);
          }
          out.writeInt(shards.size());
          for (ShardProgress shard :
              shards.stream().sorted(Comparator.comparing(ShardProgress::shard)).toList()) {
            out.writeInt(shard.shard().value());
            write(out, shard.server().value());
            write(out, shard.phase().wireName());
            out.writeLong(shard.watermark().map(Watermark::toEpochMicros).orElse(-1L));
            out.writeLong(shard.copiedRows());
            out.writeLong(shard.estimatedRows());
            write(out, shard.haltReason());
          }
          out.writeInt(sources.size());
          for (SourceProgress source :
              sources.stream().sorted(Comparator.comparing(SourceProgress::server)).toList()) {
            writeSource(out, source);
          }
          // At the end and only where there are any: nothing of before has another hash.
          for (ShardProgress shard :
              shards.stream().sorted(Comparator.comparing(ShardProgress::shard)).toList()) {
            if (!shard.columns().isEmpty()) {
              out.writeInt(shard.shard().value());
              writeColumns(out, shard.columns());
            }
          }
        });
  }

  private static void writeSlice(DataOutputStream out, Slice slice) throws IOException {
    out.writeInt(slice.emptyShards().size());
    for (ShardId shard : slice.emptyShards()) {
      out.writeInt(shard.value());
    }
    out.writeInt(slice.manifests().size());
    for (CommittableManifest manifest : slice.manifests()) {
      // Where a manifest travels is left out: its bytes are the files, wherever they lie.
      write(out, manifest.content().wireName());
      out.writeLong(manifest.length());
      write(out, manifest.sha256());
    }
    FileCounts counts = slice.counts();
    out.writeLong(counts.dataFiles());
    out.writeLong(counts.dataRecords());
    out.writeLong(counts.equalityDeleteFiles());
    out.writeLong(counts.equalityDeleteRecords());
    out.writeLong(counts.positionDeleteFiles());
    out.writeLong(counts.positionDeleteRecords());
    out.writeLong(counts.bytes());
  }

  private static void writeColumns(DataOutputStream out, ColumnDifferences columns)
      throws IOException {
    out.writeInt(columns.renamed().size());
    for (Map.Entry<Integer, String> entry : columns.renamed().entrySet()) {
      out.writeInt(entry.getKey());
      write(out, entry.getValue());
    }
    for (SortedSet<Integer> fields : List.of(columns.dropped(), columns.unfilled())) {
      out.writeInt(fields.size());
      for (int field : fields) {
        out.writeInt(field);
      }
    }
  }

  private static void writeSource(DataOutputStream out, SourceProgress source) throws IOException {
    write(out, source.server().value());
    // 0: no position, 1: one, 2: one with the server's identity before it.
    out.writeByte(
        source.position().isEmpty()
            ? 0
            : source.position().get().serverIdentity().isEmpty() ? 1 : 2);
    if (source.position().isPresent()) {
      SourcePosition position = source.position().get();
      if (position.serverIdentity().isPresent()) {
        write(out, position.serverIdentity().get());
      }
      write(out, position.file());
      out.writeLong(position.position());
      write(out, position.gtidSet());
      out.writeLong(position.skipEvents());
      out.writeLong(position.skipRows());
    }
  }

  private static void write(DataOutputStream out, Optional<String> text) throws IOException {
    out.writeBoolean(text.isPresent());
    if (text.isPresent()) {
      write(out, text.get());
    }
  }

  /** With its length before it; {@code writeUTF} ends at 65,535 bytes, and GTID sets may not. */
  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private interface Content {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private static ChainHash digest(Content content) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      try (DataOutputStream out =
          new DataOutputStream(new DigestOutputStream(OutputStream.nullOutputStream(), sha))) {
        content.writeTo(out);
      }
      return new ChainHash(HexFormat.of().formatHex(sha.digest()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
