package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ExampleRegistryTest {
  private static final Path EXAMPLE = Path.of("..", "config", "registry.example.yaml");

  private final Registry registry = RegistryParser.parseFile(EXAMPLE);

  @Test
  void theExampleIsSoundAndExpandsToItsShards() {
    TableName orders = new TableName("shop.orders");
    assertThat(registry.shardsOf(orders)).hasSize(128);
    assertThat(registry.shard(orders, new ShardId(63)).source()).hasToString("shop.orders_063");
    assertThat(registry.shard(orders, new ShardId(127)).source()).hasToString("shop_63.orders_63");
    assertThat(registry.groupsOf(orders))
        .extracting(g -> g.name().value())
        .containsExactly("orders-a", "orders-b");
    GroupName products = new GroupName("products");
    assertThat(registry.shardsOf(products)).hasSize(3);
    assertThat(registry.activeShardsOf(products)).hasSize(1);
    assertThat(registry.serversOf(products))
        .extracting(ServerSpec::name)
        .containsExactly(new ServerName("mysql-a"));
  }

  @Test
  void theExampleShowsEveryKey() throws Exception {
    String text = Files.readString(EXAMPLE);
    assertThat(Arrays.stream(RegistryKey.values()).map(RegistryKey::word))
        .allSatisfy(word -> assertThat(text).contains(word + ":"));
  }

  @Test
  void theExampleSurvivesTheCodec() {
    assertThat(RegistryCodec.decode(RegistryCodec.encode(registry))).isEqualTo(registry);
    assertThat(RegistryCodec.encode(RegistryCodec.decode(RegistryCodec.encode(registry))))
        .isEqualTo(RegistryCodec.encode(registry));
  }
}
