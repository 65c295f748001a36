package io.tributary.localstack.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that answers each line with the same line, behind the proxy. */
class FaultProxyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SHORT_MS = 300;

  private final List<String> applied = new CopyOnWriteArrayList<>();
  private ServerSocket server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread accepting = new Thread(this::accept, "echo");
    accepting.setDaemon(true);
    accepting.start();
    proxy = FaultProxy.to(server.getLocalPort());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Thread answering = new Thread(() -> answer(client), "echo-one");
        answering.setDaemon(true);
        answering.start();
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void answer(Socket client) {
    try (client) {
      BufferedReader in = reader(client);
      OutputStream out = client.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        applied.add(line);
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (IOException e) {
      // Its client was cut off.
      return;
    }
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  private Socket client() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static void send(Socket client, String line) throws IOException {
    client.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static String ask(Socket client, String line) throws IOException {
    send(client, line);
    return reader(client).readLine();
  }

  private void awaitApplied(String... lines) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(applied).containsExactly(lines));
  }

  @Test
  void passesEverythingOn() throws IOException {
    try (Socket one = client();
        Socket other = client()) {
      assertThat(ask(one, "a")).isEqualTo("a");
      assertThat(ask(other, "b")).isEqualTo("b");
    }
  }

  @Test
  void deliversAHeldRequestAfterItsClientIsGone() throws Exception {
    Trap trap = proxy.trap(Fault.HOLD_REQUEST, "alter");
    try (Socket client = client();
        Socket other = client()) {
      send(client, "alter");
      trap.awaitHit(PATIENCE);
      send(client, "what follows");
      assertThat(ask(other, "look")).isEqualTo("look");
    }
    assertThat(applied).containsExactly("look");
    assertThat(trap.hits()).isEqualTo(1);

    trap.release();

    awaitApplied("look", "alter", "what follows");
    await().atMost(PATIENCE).until(() -> trap.answered() == 1);
  }

  @Test
  void holdsAnAnswerUntilItIsReleased() throws Exception {
    Trap trap = proxy.trap(Fault.HOLD_REPLY, "alter");
    try (Socket client = client()) {
      send(client, "alter");
      awaitApplied("alter");
      client.setSoTimeout(SHORT_MS);
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      trap.release();
      client.setSoTimeout((int) PATIENCE.toMillis());
      assertThat(reader(client).readLine()).isEqualTo("alter");
    }
  }

  @Test
  void dropsRequestsAndAnswersOfOpenConnections() throws Exception {
    try (Socket client = client();
        Socket other = client()) {
      client.setSoTimeout(SHORT_MS);
      other.setSoTimeout(SHORT_MS);
      proxy.trap(Fault.DROP_REQUEST, "lost");
      assertThatThrownBy(() -> ask(client, "lost")).isInstanceOf(SocketTimeoutException.class);
      assertThat(applied).isEmpty();
      proxy.trap(Fault.DROP_REPLY, "unanswered");
      assertThatThrownBy(() -> ask(other, "unanswered")).isInstanceOf(SocketTimeoutException.class);
      assertThat(applied).containsExactly("unanswered");
    }
  }

  @Test
  void cutsBeforeTheServerHasTheRequestOrBeforeItsAnswerGetsThrough() throws Exception {
    Trap before = proxy.trap(Fault.CUT_REQUEST, "never");
    Trap after = proxy.trap(Fault.CUT_REPLY, "once");
    try (Socket client = client()) {
      assertEnded(client, "never");
    }
    assertThat(applied).isEmpty();
    try (Socket client = client()) {
      assertEnded(client, "once");
    }
    awaitApplied("once");
    before.lift();
    after.lift();
    try (Socket client = client()) {
      assertThat(ask(client, "once")).isEqualTo("once");
      assertThat(ask(client, "never")).isEqualTo("never");
    }
    assertThat(before.hits()).isEqualTo(1);
    assertThat(after.hits()).isEqualTo(1);
  }

  /** The end of a connection reaches its client as an end or as an error, as the moment has it. */
  private static void assertEnded(Socket client, String line) {
    try {
      assertThat(ask(client, line)).isNull();
    } catch (SocketTimeoutException e) {
      throw new AssertionError("still open", e);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("onnection");
    }
  }

  @Test
  void delaysCutsAndRefusesUntilItIsHealed() throws Exception {
    try (Socket client = client()) {
      proxy.delay(Duration.ofMillis(SHORT_MS), Duration.ofMillis(SHORT_MS));
      long start = System.nanoTime();
      assertThat(ask(client, "slow")).isEqualTo("slow");
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(2 * SHORT_MS));
      proxy.refuse(true);
      proxy.cut();
      assertEnded(client, "cut");
    }
    try (Socket client = client()) {
      assertEnded(client, "refused");
    }
    Trap trap = proxy.trap(Fault.HOLD_REQUEST, "");
    proxy.heal();
    try (Socket client = client()) {
      assertThat(ask(client, "fast")).isEqualTo("fast");
    }
    assertThat(trap.hits()).isZero();
  }

  @Test
  void saysWhichRequestDidNotCome() {
    Trap trap = proxy.trap(Fault.CUT_REPLY, "alter_table");

    assertThatThrownBy(() -> trap.awaitHit(Duration.ofMillis(1)))
        .hasMessage(
            "Cannot catch a request: expected one with 'alter_table' within 1 ms, found none");
  }
}
