package io.tributary.registry.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy that breaks connections at a chosen moment: after a number of further requests it
 * still passes the last one on, and never its answer.
 */
final class CuttingProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Requests to pass before the cut; below 0 when none is planned. */
  private final AtomicInteger requestsLeft = new AtomicInteger(-1);

  CuttingProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    thread("accept", this::accept);
  }

  String connectString() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** Cuts after this many further requests; the last one reaches the server unanswered. */
  void cutAfter(int requests) {
    requestsLeft.set(requests);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(client);
        open.add(server);
        thread("requests", () -> copy(client, server, true));
        thread("answers", () -> copy(server, client, false));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void copy(Socket from, Socket to, boolean requests) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        boolean cut = requests && requestsLeft.get() >= 0 && requestsLeft.decrementAndGet() < 0;
        if (cut) {
          // No answer gets through any more; the request still does.
          from.close();
        }
        out.write(buffer, 0, n);
        out.flush();
        if (cut) {
          Thread.sleep(20);
          return;
        }
      }
    } catch (IOException e) {
      // The other direction closed: the pair ends.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void thread(String name, Runnable task) {
    Thread made = new Thread(task, "proxy-" + name);
    made.setDaemon(true);
    made.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
