package io.tributary.coordinator;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.TableMetadata;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A coordinator in a process of its own that stops or kills itself, once, at one moment. It prints
 * what became of its swaps and messages, and how it ended.
 */
final class SelfSignallingCoordinator {
  /** When it signals itself. */
  enum Moment {
    /** Its claim is checked and built; the catalog has not been asked. */
    BEFORE_CLAIM,
    /** So is a round with files. */
    BEFORE_DATA_ROUND,
    /** So is a round without. */
    BEFORE_IDLE_ROUND,
    /** A round is in the table, nothing of its message is sent. */
    BEFORE_MESSAGE,
    /** The brokers have the message, its transaction is open. */
    IN_MESSAGE,
    NEVER
  }

  private static Moment moment;
  private static String signal;
  private static final AtomicBoolean DONE = new AtomicBoolean();

  private SelfSignallingCoordinator() {}

  /**
   * @param args table, metastore, warehouse, Kafka's bootstrap servers, transaction timeout in ms,
   *     {@link Moment}, signal
   */
  public static void main(String[] args) {
    moment = Moment.valueOf(args[5]);
    signal = args[6];
    Map<String, String> kafka = new HashMap<>();
    kafka.put("bootstrap.servers", args[3]);
    kafka.put("transaction.timeout.ms", args[4]);
    kafka.put("interceptor.classes", Interceptor.class.getName());
    ExecutorService readers = Executors.newFixedThreadPool(2);
    ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
    CoordinatorLoop loop =
        LoopSetup.of(new TableName(args[0]), args[1], args[2], kafka)
            .withSteps(new TellingSteps())
            .withHooks(new SwapHooks())
            .loop(readers);
    ticks.scheduleWithFixedDelay(loop::tick, 200, 200, TimeUnit.MILLISECONDS);
    loop.run();
    ticks.shutdownNow();
    readers.shutdownNow();
    System.out.println("ended " + loop.end().orElseThrow());
  }

  private static void reached(Moment which) {
    if (which != moment || !DONE.compareAndSet(false, true)) {
      return;
    }
    System.out.println("reached " + which);
    System.out.flush();
    try {
      new ProcessBuilder("bash", "-c", "kill -" + signal + " " + ProcessHandle.current().pid())
          .start()
          .waitFor();
      // A signal takes effect a little later, and this thread would go on until then. Whoever
      // resumes the process says so here.
      System.in.read();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class TellingSteps implements Steps {
    @Override
    public void before(Action action) {
      if (action instanceof Action.Publish) {
        reached(Moment.BEFORE_MESSAGE);
      }
    }

    @Override
    public void after(Action action, Event answer) {
      if (answer instanceof Event.SwapAnswered || answer instanceof Event.PublishAnswered) {
        System.out.println(action.getClass().getSimpleName() + ": " + answer);
      }
    }
  }

  private static final class SwapHooks implements LedgerHooks {
    @Override
    public void beforeSwap(TableMetadata base, TableMetadata next) {
      TableState before = TableStateCodec.decode(base.properties()).orElseThrow();
      TableState after = TableStateCodec.decode(next.properties()).orElseThrow();
      if (before.round().equals(after.round())) {
        reached(Moment.BEFORE_CLAIM);
      } else {
        reached(after.dataRound() ? Moment.BEFORE_DATA_ROUND : Moment.BEFORE_IDLE_ROUND);
      }
    }
  }

  /** Sees when the brokers have a message; one of all clients, which take the same settings. */
  public static final class Interceptor
      implements ProducerInterceptor<byte[], byte[]>, ConsumerInterceptor<byte[], byte[]> {
    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> message) {
      return message;
    }

    @Override
    public void onAcknowledgement(RecordMetadata message, Exception failure) {
      if (failure == null) {
        reached(Moment.IN_MESSAGE);
      }
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}
  }
}
