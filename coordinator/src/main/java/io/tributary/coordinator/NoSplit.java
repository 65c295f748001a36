package io.tributary.coordinator;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Flink wants splits; the coordinator has nothing to split and hands none out. */
final class NoSplit implements SourceSplit {
  private NoSplit() {}

  @Override
  public String splitId() {
    return "none";
  }

  /** Gives nobody anything. */
  static final class Enumerator implements SplitEnumerator<NoSplit, Void> {
    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, String host) {}

    @Override
    public void addSplitsBack(List<NoSplit> splits, int subtask) {}

    @Override
    public void addReader(int subtask) {}

    @Override
    public Void snapshotState(long checkpointId) {
      return null;
    }

    @Override
    public void close() {}
  }

  /** Never has anything to do. */
  static final class Serializer implements SimpleVersionedSerializer<NoSplit> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(NoSplit split) {
      return new byte[0];
    }

    @Override
    public NoSplit deserialize(int version, byte[] bytes) throws IOException {
      throw new IOException("Cannot read a split: expected none");
    }
  }

  /** Writes nothing and reads it back. */
  static final class NothingSerializer implements SimpleVersionedSerializer<Void> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Void nothing) {
      return new byte[0];
    }

    @Override
    public Void deserialize(int version, byte[] bytes) {
      return null;
    }
  }
}
