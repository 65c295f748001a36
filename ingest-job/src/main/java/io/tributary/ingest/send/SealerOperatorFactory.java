package io.tributary.ingest.send;

import io.tributary.ingest.seal.WriterResult;
import java.time.Clock;
import java.util.Objects;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperatorFactory;

/** Makes the sealer where it runs. */
public final class SealerOperatorFactory extends AbstractStreamOperatorFactory<Long>
    implements TwoInputStreamOperatorFactory<WriterResult, SourceReport, Long> {
  private final SealerConfig config;

  public SealerOperatorFactory(SealerConfig config) {
    this.config = Objects.requireNonNull(config, "config");
    setChainingStrategy(ChainingStrategy.ALWAYS);
  }

  @Override
  @SuppressWarnings("unchecked") // Flink's own signature: T is the operator this factory makes
  public <T extends StreamOperator<Long>> T createStreamOperator(
      StreamOperatorParameters<Long> parameters) {
    SealerOperator operator =
        new SealerOperator(config, parameters.getMailboxExecutor(), Clock.systemUTC());
    operator.setup(
        parameters.getContainingTask(), parameters.getStreamConfig(), parameters.getOutput());
    return (T) operator;
  }

  @Override
  public Class<? extends StreamOperator<?>> getStreamOperatorClass(ClassLoader classLoader) {
    return SealerOperator.class;
  }
}
