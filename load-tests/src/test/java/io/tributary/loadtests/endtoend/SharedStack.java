package io.tributary.loadtests.endtoend;

import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test class the one local stack of its JVM. Each TaskManager has one slot: so each job has
 * a TaskManager of its own, and one is left for the next job or for one whose TaskManager was
 * killed.
 */
final class SharedStack implements ParameterResolver {
  private static final int TASK_MANAGERS = 4;
  private static final int HEAP_MB = 512;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(10);
  private static final Path FOLDER =
      Path.of("target", "shared-stack-" + System.getProperty("test.fork", "alone"));

  private static final class Holder implements ExtensionContext.Store.CloseableResource {
    private final LocalStack stack =
        LocalStack.start(
            LocalStackConfig.in(FOLDER)
                .withTaskManagers(TASK_MANAGERS, 1)
                .withTaskManagerHeapMb(HEAP_MB)
                .withWipe(true)
                .withStartTimeout(START_TIMEOUT),
            System.out::println);

    @Override
    public void close() {
      stack.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == LocalStack.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(SharedStack.class))
        .getOrComputeIfAbsent(Holder.class, key -> new Holder(), Holder.class)
        .stack;
  }
}
