package io.tributary.loadtests.fuzz;

import java.util.function.Function;

/**
 * A type with its values.
 *
 * @param sql as in a table's definition, with character set and collation
 * @param value makes the SQL text of a value, NULL left out
 * @param key makes the SQL text of a value for a key: of few distinct values, none of them one that
 *     the table holds as NULL; null where the type cannot be in a key
 * @param whole whether it is a whole number
 * @param text whether it is a text that a name can be written into
 */
record ValueType(
    String sql,
    Function<Dice, String> value,
    Function<Dice, String> key,
    boolean whole,
    boolean text) {
  static ValueType of(String sql, Function<Dice, String> value) {
    return new ValueType(sql, value, null, false, false);
  }

  static ValueType ofKeys(String sql, Function<Dice, String> value, Function<Dice, String> key) {
    return new ValueType(sql, value, key, false, false);
  }

  boolean fitsKeys() {
    return key != null;
  }
}
