package io.tributary.loadtests.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The statements that change a table, each for one of several connections whose transactions
 * overlap. The order is the seed's: one thread carries them out, and a statement that would have to
 * wait for another connection fails at once.
 */
final class ChangeScript {
  /** How many connections take part. */
  static final int CONNECTIONS = 3;

  private static final int MOST_ROWS_PER_INSERT = 40;

  /**
   * A statement.
   *
   * @param connection from 0
   * @param sql one statement
   */
  record Step(int connection, String sql) {}

  private final FuzzTable table;
  private final Dice dice;
  private final List<FuzzColumn> written;

  /**
   * @param part tells scripts of one table from each other
   */
  ChangeScript(FuzzTable table, String part) {
    this.table = table;
    this.dice = Dice.of(table.seed(), table.index(), part);
    this.written = table.columns().stream().filter(FuzzColumn::written).toList();
  }

  /** What each connection is told first. */
  static List<String> session(Dice dice) {
    return List.of(
        "SET SESSION innodb_lock_wait_timeout = 0",
        "SET SESSION time_zone = '" + dice.of("+00:00", "+09:00", "-05:00", "+05:45") + "'",
        "SET SESSION sql_mode = '"
            + dice.of(
                "",
                "",
                "STRICT_TRANS_TABLES",
                "ALLOW_INVALID_DATES",
                "ANSI_QUOTES,NO_BACKSLASH_ESCAPES",
                "PAD_CHAR_TO_FULL_LENGTH",
                "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE")
            + "'",
        "SET SESSION TRANSACTION ISOLATION LEVEL " + dice.of("READ COMMITTED", "REPEATABLE READ"));
  }

  /** Rows before anything is read; what a key or type does not take is left out by the server. */
  List<String> firstRows() {
    List<String> statements = new ArrayList<>();
    for (int shard = 0; shard < table.shards().size(); shard++) {
      if (dice.chance(8)) {
        // Empty when it is first seen.
        continue;
      }
      int share = dice.between(30, 90);
      List<List<String>> chosen = table.keys().stream().filter(any -> dice.chance(share)).toList();
      for (int from = 0; from < chosen.size(); from += MOST_ROWS_PER_INSERT) {
        List<List<String>> some =
            chosen.subList(from, Math.min(chosen.size(), from + MOST_ROWS_PER_INSERT));
        statements.add("INSERT IGNORE" + into(shard, some));
      }
    }
    return statements;
  }

  /** So many statements, transactions that are open at the end committed. */
  List<Step> changes(int count) {
    List<Step> steps = new ArrayList<>();
    List<List<String>> open = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      open.add(new ArrayList<>());
    }
    while (steps.size() < count || open.stream().anyMatch(left -> !left.isEmpty())) {
      int connection = dice.between(0, CONNECTIONS - 1);
      List<String> left = open.get(connection);
      if (left.isEmpty() && steps.size() < count) {
        left.addAll(transaction());
      }
      if (!left.isEmpty()) {
        steps.add(new Step(connection, left.remove(0)));
      }
    }
    return steps;
  }

  private List<String> transaction() {
    List<String> statements = new ArrayList<>();
    if (dice.chance(35)) {
      statements.addAll(change());
      return statements.size() == 1 ? statements : inTransaction(statements, "COMMIT");
    }
    int parts = dice.between(1, 5);
    for (int i = 0; i < parts; i++) {
      if (dice.chance(15)) {
        statements.add("SAVEPOINT s");
        statements.addAll(change());
        statements.addAll(change());
        statements.add(dice.of("ROLLBACK TO s", "ROLLBACK TO s", "RELEASE SAVEPOINT s"));
      } else {
        statements.addAll(change());
      }
    }
    return inTransaction(statements, dice.chance(20) ? "ROLLBACK" : "COMMIT");
  }

  private static List<String> inTransaction(List<String> statements, String end) {
    List<String> all = new ArrayList<>();
    all.add("START TRANSACTION");
    all.addAll(statements);
    all.add(end);
    return all;
  }

  private List<String> change() {
    int shard = dice.between(0, table.shards().size() - 1);
    String name = table.quotedShard(shard);
    List<String> one = dice.of(table.keys());
    List<String> other = dice.of(table.keys());
    return switch (dice.between(0, 15)) {
      case 0, 1, 2, 3 -> List.of("INSERT" + into(shard, List.of(one)));
      case 4 -> List.of("INSERT IGNORE" + into(shard, dice.some(table.keys(), dice.between(2, 8))));
      case 5 -> List.of("REPLACE" + into(shard, List.of(one)));
      case 6 ->
          List.of(
              "INSERT" + into(shard, List.of(one)) + " ON DUPLICATE KEY UPDATE " + assignments());
      case 7, 8, 9 -> List.of("UPDATE " + name + " SET " + assignments() + where(one));
      case 10 ->
          // By a part of the key, or any rows when the key has one column.
          List.of(
              "UPDATE "
                  + name
                  + " SET "
                  + assignments()
                  + wherePart(one)
                  + " LIMIT "
                  + dice.between(1, 5));
      case 11, 12 -> List.of("DELETE FROM " + name + where(one));
      case 13 -> List.of("UPDATE " + name + " SET " + keyAssignments(other) + where(one));
      case 14 -> swap(name, one, other);
      default ->
          dice.chance(50)
              ? List.of("DELETE FROM " + name + where(one), "INSERT" + into(shard, List.of(one)))
              : List.of("DELETE FROM " + name + wherePart(one) + " LIMIT " + dice.between(1, 4));
    };
  }

  /** Two rows take each other's key by way of a third. */
  private List<String> swap(String name, List<String> one, List<String> other) {
    List<String> third = dice.of(table.keys());
    return List.of(
        "DELETE FROM " + name + where(third),
        "UPDATE " + name + " SET " + keyAssignments(third) + where(one),
        "UPDATE " + name + " SET " + keyAssignments(one) + where(other),
        "UPDATE " + name + " SET " + keyAssignments(other) + where(third));
  }

  private String into(int shard, List<List<String>> keys) {
    List<FuzzColumn> given =
        written.stream()
            .filter(column -> table.keyColumns().contains(column) || dice.chance(85))
            .toList();
    return given.stream()
            .map(FuzzColumn::quoted)
            .collect(
                Collectors.joining(", ", " INTO " + table.quotedShard(shard) + " (", ") VALUES "))
        + keys.stream().map(key -> row(given, key)).collect(Collectors.joining(", "));
  }

  private String row(List<FuzzColumn> given, List<String> key) {
    return given.stream()
        .map(
            column -> {
              int place = table.keyColumns().indexOf(column);
              return place >= 0 ? key.get(place) : value(column);
            })
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private String value(FuzzColumn column) {
    return column.nullable() && dice.chance(15) ? "NULL" : column.type().value().apply(dice);
  }

  private String assignments() {
    List<FuzzColumn> others =
        written.stream().filter(column -> !table.keyColumns().contains(column)).toList();
    return dice.some(others, dice.between(1, Math.max(1, others.size()))).stream()
        .map(column -> column.quoted() + " = " + value(column))
        .collect(Collectors.joining(", "));
  }

  private String keyAssignments(List<String> key) {
    return IntStream.range(0, key.size())
        .mapToObj(i -> table.keyColumns().get(i).quoted() + " = " + key.get(i))
        .collect(Collectors.joining(", "));
  }

  private String where(List<String> key) {
    return IntStream.range(0, key.size())
        .mapToObj(i -> table.keyColumns().get(i).quoted() + " = " + key.get(i))
        .collect(Collectors.joining(" AND ", " WHERE ", ""));
  }

  private String wherePart(List<String> key) {
    if (key.size() == 1) {
      return " WHERE " + table.keyColumns().get(0).quoted() + dice.of(" >= ", " <= ") + key.get(0);
    }
    int place = dice.between(0, key.size() - 1);
    return " WHERE " + table.keyColumns().get(place).quoted() + " = " + key.get(place);
  }
}
