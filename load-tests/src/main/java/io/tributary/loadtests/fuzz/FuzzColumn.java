package io.tributary.loadtests.fuzz;

/**
 * A column.
 *
 * @param name any that the server takes
 * @param type what it holds
 * @param attributes what follows the type in the table's definition
 * @param written whether a statement may give it a value; the server computes the others
 * @param nullable whether that value may be NULL
 */
record FuzzColumn(
    String name, ValueType type, String attributes, boolean written, boolean nullable) {
  String definition() {
    return quoted() + " " + type.sql() + attributes;
  }

  String quoted() {
    return quote(name);
  }

  static String quote(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
