package io.tributary.cli.demo.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ProductGeneratorTest {
  @Test
  void theSameSeedMakesTheSameProducts() {
    assertThat(names(7)).isEqualTo(names(7)).isNotEqualTo(names(8));
  }

  @Test
  void theCatalogueHoldsWhatTypesNeed() {
    ProductGenerator generator = new ProductGenerator(new SplittableRandom(1));
    List<Product> products = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      products.add(generator.product(i));
    }

    assertThat(products).anyMatch(product -> product.description() == null);
    assertThat(products).anyMatch(product -> product.viewCount() < 0);
    assertThat(products).anyMatch(product -> product.name().codePoints().anyMatch(c -> c > 0xffff));
    assertThat(products).anyMatch(product -> "".equals(product.tags()));
    assertThat(products).allMatch(product -> product.name().length() <= 200);
  }

  private static List<String> names(long seed) {
    ProductGenerator generator = new ProductGenerator(new SplittableRandom(seed));
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      names.add(generator.product(i).toString().replaceAll("@[0-9a-f]+", ""));
    }
    return names;
  }
}
