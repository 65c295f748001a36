package io.tributary.localstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PortsTest {

  @Test
  void aNameKeepsItsPortAndNoTwoNamesShareOne() {
    Ports ports = new Ports(Map.of(), new Random(1));
    int first = ports.port("first");
    assertThat(ports.port("first")).isEqualTo(first);
    assertThat(ports.port("second")).isNotEqualTo(first);
    assertThat(ports.given()).containsOnlyKeys("first", "second");
  }

  @Test
  void theLastRunsPortIsUsedAgain() {
    int free = new Ports(Map.of(), new Random(2)).port("any");
    assertThat(new Ports(Map.of("name", free), new Random(3)).port("name")).isEqualTo(free);
  }

  @Test
  void aPortThatSomebodyTookIsReplaced() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Ports ports = new Ports(Map.of("name", taken.getLocalPort()), new Random(4));
      assertThat(ports.port("name")).isNotEqualTo(taken.getLocalPort());
    }
  }
}
