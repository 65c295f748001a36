package io.tributary.coordinator;

import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** A Kafka broker and a Hive metastore, started once for all tests of this JVM. */
public final class Servers {
  private static LocalStack stack;

  private Servers() {}

  public static synchronized LocalStack get() {
    if (stack == null) {
      try {
        stack =
            LocalStack.start(
                LocalStackConfig.in(Files.createTempDirectory("coordinator-it"))
                    .withOnly(Service.KAFKA, Service.METASTORE));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return stack;
  }
}
