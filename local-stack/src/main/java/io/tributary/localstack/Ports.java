package io.tributary.localstack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Gives out free ports of 127.0.0.1, the same ones as in the last run where they are still free, so
 * that files that name them stay true.
 */
final class Ports {

  // Below Linux's range for outgoing connections: none of those can take a port between our look
  // and the service's bind.
  private static final int LOWEST = 20_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 1_000;

  private final Map<String, Integer> lastRun;
  private final RandomGenerator random;
  private final Map<String, Integer> given = new TreeMap<>();
  private final Set<Integer> taken = new HashSet<>();

  Ports(Map<String, Integer> lastRun, RandomGenerator random) {
    this.lastRun = Map.copyOf(lastRun);
    this.random = random;
  }

  int port(String name) {
    return given.computeIfAbsent(name, this::choose);
  }

  /** All ports given out, by name. */
  Map<String, Integer> given() {
    return Map.copyOf(given);
  }

  private int choose(String name) {
    Integer last = lastRun.get(name);
    if (last != null && !taken.contains(last) && isFree(last)) {
      taken.add(last);
      return last;
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      int candidate = random.nextInt(LOWEST, HIGHEST);
      if (!lastRun.containsValue(candidate) && !taken.contains(candidate) && isFree(candidate)) {
        taken.add(candidate);
        return candidate;
      }
    }
    throw new LocalStackException(
        "Cannot find a port for %s: expected a free one from %d to %d, found none in %d attempts"
            .formatted(name, LOWEST, HIGHEST, ATTEMPTS));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
