package io.tributary.loadtests.fuzz;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Choices that a seed makes. */
final class Dice {
  private final Random random;

  Dice(long seed) {
    this.random = new Random(seed);
  }

  /** The dice of one table or of one part of it: the same whatever other tables are made. */
  static Dice of(long seed, int index, String part) {
    return new Dice(((seed * 1_000_003L) + index) * 1_000_003L + part.hashCode());
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** Both ends included. */
  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** Both ends included. */
  BigInteger between(BigInteger least, BigInteger most) {
    BigInteger width = most.subtract(least).add(BigInteger.ONE);
    return least.add(new BigInteger(width.bitLength() + 16, random).mod(width));
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // Read only.
  final <T> T of(T... values) {
    return of(Arrays.asList(values));
  }

  <T> T of(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  <T> List<T> some(List<T> values, int count) {
    List<T> left = new ArrayList<>(values);
    List<T> chosen = new ArrayList<>();
    while (chosen.size() < count && !left.isEmpty()) {
      chosen.add(left.remove(random.nextInt(left.size())));
    }
    return chosen;
  }

  byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  long bits() {
    return random.nextLong();
  }

  /** Decimal digits, the first of which may be 0. */
  String digits(int count) {
    StringBuilder digits = new StringBuilder();
    for (int i = 0; i < count; i++) {
      digits.append((char) ('0' + random.nextInt(10)));
    }
    return digits.toString();
  }
}
