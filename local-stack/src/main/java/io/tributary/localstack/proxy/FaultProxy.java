package io.tributary.localstack.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy on 127.0.0.1 whose behaviour is changed while it runs: it delays, holds, drops and
 * cuts requests or answers, all of them or those with a certain text. It knows no protocol: a
 * request is what one read from the client brings, so a text to look for must stand near a
 * request's beginning.
 *
 * <p>What a client has sent is delivered even when the client is gone by then: a request that is
 * held can be applied long after everybody gave it up.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final int LOOK_MS = 20;

  private final ServerSocket listener;
  private final int target;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final List<Trap> traps = new CopyOnWriteArrayList<>();
  private volatile Duration requestDelay = Duration.ZERO;
  private volatile Duration replyDelay = Duration.ZERO;
  private volatile boolean refusing;

  private FaultProxy(int port, int target) {
    this.target = target;
    try {
      this.listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot listen at 127.0.0.1:" + port, e);
    }
    thread("accept", this::accept);
  }

  /** A proxy at a free port, in front of a port of 127.0.0.1. */
  public static FaultProxy to(int target) {
    return new FaultProxy(0, target);
  }

  /** A proxy at a certain port, for servers that tell their clients where to connect. */
  public static FaultProxy at(int port, int target) {
    return new FaultProxy(port, target);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** {@code 127.0.0.1:PORT}. */
  public String address() {
    return "127.0.0.1:" + port();
  }

  /** Catches all requests from now on that hold a text; an empty text is in all of them. */
  public Trap trap(Fault fault, String marker) {
    Trap trap = new Trap(fault, marker);
    traps.add(trap);
    return trap;
  }

  /** What is read from now on is passed on only after this time; zero for at once. */
  public void delay(Duration requests, Duration replies) {
    requestDelay = requests;
    replyDelay = replies;
  }

  /** Cuts all connections that are open now. */
  public void cut() {
    connections.forEach(Connection::close);
  }

  /** Whether new connections are cut at once; those that are open stay. */
  public void refuse(boolean refuses) {
    refusing = refuses;
  }

  /** As a good network again: every trap is released, nothing is delayed or refused. */
  public void heal() {
    traps.forEach(Trap::release);
    traps.clear();
    delay(Duration.ZERO, Duration.ZERO);
    refuse(false);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          client.close();
          continue;
        }
        connect(client);
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket server;
    try {
      server = new Socket(InetAddress.getLoopbackAddress(), target);
    } catch (IOException e) {
      // The server is down: its client finds out the same way as without us.
      client.close();
      return;
    }
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    Connection connection = new Connection(client, server);
    connections.add(connection);
    thread("requests", connection::passRequests);
    thread("replies", connection::passReplies);
  }

  private Optional<Trap> caught(byte[] bytes, int length) {
    return traps.stream().filter(trap -> trap.catches(bytes, length)).findFirst();
  }

  private final class Connection {
    private final Socket client;
    private final Socket server;

    /** What caught the request whose answer is next. */
    private volatile Optional<Trap> onReply = Optional.empty();

    /** What held the request whose answer is next. */
    private volatile Optional<Trap> afterHold = Optional.empty();

    Connection(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void passRequests() {
      byte[] buffer = new byte[BUFFER];
      try {
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          pause(requestDelay);
          Optional<Trap> trap = caught(buffer, n);
          if (trap.isEmpty()) {
            send(out, buffer, n);
            continue;
          }
          switch (trap.get().fault()) {
            case CUT_REQUEST -> close();
            case DROP_REQUEST -> {}
            case HOLD_REQUEST -> hold(trap.get(), buffer, n);
            case HOLD_REPLY, DROP_REPLY, CUT_REPLY -> {
              onReply = trap;
              send(out, buffer, n);
            }
          }
        }
        // The server answers what it has got; its client may still read.
        server.shutdownOutput();
      } catch (IOException e) {
        close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
      }
    }

    /** Keeps a request and all that follows it, so that nothing of it is lost with its client. */
    private void hold(Trap trap, byte[] buffer, int length)
        throws IOException, InterruptedException {
      ByteArrayOutputStream held = new ByteArrayOutputStream();
      held.write(buffer, 0, length);
      boolean atEnd = false;
      client.setSoTimeout(LOOK_MS);
      while (!trap.isReleased()) {
        if (listener.isClosed()) {
          close();
          return;
        }
        if (atEnd) {
          TimeUnit.MILLISECONDS.sleep(LOOK_MS);
          continue;
        }
        try {
          int n = client.getInputStream().read(buffer);
          atEnd = n < 0;
          held.write(buffer, 0, Math.max(n, 0));
        } catch (SocketTimeoutException e) {
          // Nothing new; look again whether it is released.
          continue;
        } catch (IOException e) {
          atEnd = true;
        }
      }
      client.setSoTimeout(0);
      afterHold = Optional.of(trap);
      send(server.getOutputStream(), held.toByteArray(), held.size());
    }

    void passReplies() {
      byte[] buffer = new byte[BUFFER];
      try {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          afterHold.ifPresent(Trap::countAnswer);
          afterHold = Optional.empty();
          pause(replyDelay);
          Optional<Trap> trap = onReply;
          if (trap.isPresent()) {
            if (trap.get().fault() == Fault.CUT_REPLY) {
              break;
            }
            if (trap.get().fault() == Fault.DROP_REPLY) {
              continue;
            }
            while (!trap.get().isReleased() && !listener.isClosed()) {
              TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
            onReply = Optional.empty();
          }
          send(out, buffer, n);
        }
      } catch (IOException e) {
        // The client is gone: nobody is left who could read an answer.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        close();
      }
    }

    private void send(OutputStream out, byte[] bytes, int length) throws IOException {
      out.write(bytes, 0, length);
      out.flush();
    }

    void close() {
      connections.remove(this);
      for (Socket socket : List.of(client, server)) {
        try {
          socket.close();
        } catch (IOException e) {
          // Closed is closed.
        }
      }
    }
  }

  private static void pause(Duration delay) throws InterruptedException {
    if (!delay.isZero()) {
      TimeUnit.MILLISECONDS.sleep(delay.toMillis());
    }
  }

  private static void thread(String name, Runnable task) {
    Thread made = new Thread(task, "fault-proxy-" + name);
    made.setDaemon(true);
    made.start();
  }

  /** Cuts everything; what is held is lost. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
