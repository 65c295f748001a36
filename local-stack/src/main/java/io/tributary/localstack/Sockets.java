package io.tributary.localstack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Looks at ports of 127.0.0.1 from outside. */
final class Sockets {

  private static final int TIMEOUT_MS = 2_000;

  private Sockets() {}

  static boolean accepts(int port) {
    try (Socket socket = open(port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends a line and reads the answer until the other side closes. */
  static String ask(int port, String line) throws IOException {
    try (Socket socket = open(port)) {
      socket.setSoTimeout(TIMEOUT_MS);
      socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static Socket open(int port) throws IOException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
    return socket;
  }
}
