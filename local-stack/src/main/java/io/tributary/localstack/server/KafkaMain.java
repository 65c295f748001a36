package io.tributary.localstack.server;

import java.nio.file.Files;
import java.nio.file.Path;
import kafka.Kafka;
import kafka.tools.StorageTool;

/** A Kafka broker in KRaft mode; formats its data folder at the first start. */
public final class KafkaMain {

  private KafkaMain() {}

  /**
   * @param args properties file, data folder, cluster id for a data folder that has none yet
   */
  public static void main(String[] args) {
    if (args.length != 3) {
      throw new IllegalArgumentException(
          "Cannot start Kafka: expected PROPERTIES DATA CLUSTER_ID, found %d arguments"
              .formatted(args.length));
    }
    if (!Files.exists(Path.of(args[1], "meta.properties"))) {
      int code =
          StorageTool.execute(
              // One word, since an id may begin with a dash.
              new String[] {"format", "--config", args[0], "--cluster-id=" + args[2]}, System.out);
      if (code != 0) {
        throw new IllegalStateException(
            "Cannot format %s for Kafka: expected code 0, found %d".formatted(args[1], code));
      }
    }
    Kafka.main(new String[] {args[0]});
  }
}
