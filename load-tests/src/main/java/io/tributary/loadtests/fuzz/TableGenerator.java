package io.tributary.loadtests.fuzz;

import io.tributary.loadtests.fuzz.FuzzTable.Reading;
import io.tributary.loadtests.fuzz.FuzzTable.Restart;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Makes the table of a seed and an index. */
final class TableGenerator {
  private static final int MOST_OTHER_COLUMNS = 12;
  private static final int REFUSED_PERCENT = 4;

  /** Of a table; each takes some queries and a connection to the binlog. */
  private static final int MOST_CHUNKS = 12;

  /** What a name can be hard for: reserved words, blanks, signs, scripts, case. */
  private static final List<String> NAMES =
      List.of(
          "id",
          "note",
          "select",
          "order",
          "group",
          "key",
          "rank",
          "value",
          "offset",
          "timestamp",
          "a b",
          "x.y",
          "수량",
          "Größe",
          "MixedCase",
          "UPPER",
          "col%1",
          "q'q",
          "a,b",
          "$d",
          "se;mi",
          "\"quoted\"",
          "(par)",
          "#hash",
          "1st",
          "-dash",
          "back\\slash",
          "[box]",
          "a/b",
          "名前",
          "ünï",
          "_hidden",
          "before",
          "after",
          "op",
          "ts_ms",
          "source",
          "c:d",
          "{brace}",
          "at@sign");

  private static final List<String> TABLE_NAMES =
      List.of("t", "order", "Table", "t b", "표", "t$", "t-1", "t+x", "tä", "t#", "t@x", "_", "t`q");

  private final long seed;
  private final Repertoire repertoire;

  TableGenerator(long seed, Repertoire repertoire) {
    this.seed = seed;
    this.repertoire = repertoire;
  }

  private enum Refused {
    NO_KEY("expected a primary key, found none"),
    NULLABLE_KEY("expected a primary key, found none"),
    FLOATING_KEY("Cannot use column 'unfit' in the key"),
    BACKTICK("Cannot read column 'un`fit'"),
    TYPE("Cannot read column 'unfit'");

    private final String says;

    Refused(String says) {
      this.says = says;
    }
  }

  FuzzTable table(int index) {
    Dice dice = Dice.of(seed, index, "table");
    ValueTypes types = new ValueTypes(dice, repertoire);
    Names names = new Names(dice);
    boolean plain = dice.chance(35);
    List<FuzzColumn> keyColumns = new ArrayList<>();
    int keyWidth = plain ? 1 : dice.of(1, 1, 2, 2, 3);
    for (int i = 0; i < keyWidth; i++) {
      ValueType type = plain ? types.wholeNumber() : types.forKeys();
      keyColumns.add(new FuzzColumn(names.next(), type, " NOT NULL", true, false));
    }
    List<FuzzColumn> columns = new ArrayList<>(keyColumns);
    int others = dice.between(1, MOST_OTHER_COLUMNS);
    for (int i = 0; i < others; i++) {
      columns.add(other(dice, types.any(), names.next()));
    }
    Optional<FuzzColumn> computable =
        keyColumns.stream()
            .filter(column -> column.type().whole() || column.type().sql().contains("BINARY"))
            .findFirst();
    if (computable.isPresent() && dice.chance(40)) {
      columns.add(generated(dice, computable.get(), names.next()));
    }
    Optional<Refused> refused =
        dice.chance(REFUSED_PERCENT) ? Optional.of(dice.of(Refused.values())) : Optional.empty();
    refused.ifPresent(why -> makeUnfit(dice, why, keyColumns, columns));
    shuffle(dice, columns);
    shuffle(dice, keyColumns);
    List<Integer> key =
        keyColumns.stream().map(columns::indexOf).collect(Collectors.toCollection(ArrayList::new));
    boolean unique = refused.isEmpty() && dice.chance(8);
    String database = "fuzz_" + index + dice.of("", "", " b", "_한", "_UP", "-x");
    List<String> shards = new ArrayList<>();
    int shardCount = dice.of(1, 2, 2);
    String tableName = dice.of(TABLE_NAMES);
    for (int i = 0; i < shardCount; i++) {
      shards.add(tableName + i);
    }
    List<List<String>> keys = keys(dice, keyColumns);
    return new FuzzTable(
        seed,
        index,
        database,
        shards,
        columns,
        key,
        keyDefinition(refused, unique, keyColumns),
        keys,
        reading(dice, unique, keyColumns, keys.size()),
        dice.of(Restart.values()),
        refused.map(why -> why.says));
  }

  private static final class Names {
    private final Dice dice;
    private final Set<String> taken = new LinkedHashSet<>();

    Names(Dice dice) {
      this.dice = dice;
    }

    String next() {
      while (true) {
        String name = dice.chance(50) ? "c" + taken.size() : dice.of(NAMES);
        if (taken.add(name.toLowerCase(Locale.ROOT))) {
          return name;
        }
      }
    }
  }

  private static FuzzColumn other(Dice dice, ValueType type, String name) {
    StringBuilder attributes = new StringBuilder();
    boolean hidden = dice.chance(10);
    boolean nullable = hidden || dice.chance(75);
    if (type.sql().startsWith("TIMESTAMP")) {
      // Without words of its own, the first of a table takes the time of each change.
      attributes.append(
          nullable ? " NULL DEFAULT NULL" : " NOT NULL DEFAULT '2001-02-03 04:05:06'");
    } else {
      attributes.append(nullable ? " NULL" : " NOT NULL");
      if (dice.chance(40)) {
        Optional<String> value = fixed(dice, type);
        if (value.isPresent()) {
          attributes.append(" DEFAULT ").append(value.get());
        } else if (nullable) {
          attributes.append(" DEFAULT NULL");
        }
      }
    }
    if (hidden) {
      attributes.append(" INVISIBLE");
    }
    if (dice.chance(20)) {
      attributes.append(
          dice.of(" COMMENT 'it''s \"a\" `b`; -- c'", " COMMENT '설명：(x)'", " COMMENT ''"));
    }
    return new FuzzColumn(name, type, attributes.toString(), true, nullable);
  }

  /** A default that every column of the type takes, whatever its length and digits. */
  private static Optional<String> fixed(Dice dice, ValueType type) {
    return switch (type.sql().split("[ (]", 2)[0]) {
      case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "REAL" ->
          Optional.of(dice.of("0", "7", "(1 + 1)"));
      case "DECIMAL", "BIT" -> Optional.of("0");
      case "YEAR" -> Optional.of("2001");
      case "DATE", "DATETIME" -> Optional.of("'2001-02-03'");
      case "TIME" -> Optional.of("'-01:02:03'");
      case "CHAR", "VARCHAR", "TEXT", "MEDIUMTEXT", "LONGTEXT", "TINYTEXT" -> Optional.of("'d'");
      case "BINARY", "VARBINARY" -> Optional.of("X'00'");
      default -> Optional.empty();
    };
  }

  /** Of what neither zone nor mode of a session changes: the server refuses or varies others. */
  private static FuzzColumn generated(Dice dice, FuzzColumn from, String name) {
    String of = from.quoted();
    String stored = dice.of(" VIRTUAL", " STORED");
    return dice.chance(50)
        ? new FuzzColumn(
            name, ValueType.of("VARCHAR(400)", null), " AS (HEX(" + of + "))" + stored, false, true)
        : new FuzzColumn(
            name, ValueType.of("INT", null), " AS (LENGTH(" + of + ") * 2)" + stored, false, true);
  }

  private static void makeUnfit(
      Dice dice, Refused why, List<FuzzColumn> keyColumns, List<FuzzColumn> columns) {
    switch (why) {
      case NO_KEY -> {}
      case NULLABLE_KEY -> {
        FuzzColumn unfit =
            new FuzzColumn("unfit", ValueType.of("INT", with -> "1"), " NULL", true, true);
        keyColumns.add(unfit);
        columns.add(unfit);
      }
      case FLOATING_KEY -> {
        FuzzColumn unfit =
            new FuzzColumn(
                "unfit",
                ValueType.of(dice.of("FLOAT", "DOUBLE", "DOUBLE(9,3)"), with -> "1.5"),
                " NOT NULL",
                true,
                false);
        keyColumns.add(unfit);
        columns.add(unfit);
      }
      case BACKTICK ->
          columns.add(
              new FuzzColumn("un`fit", ValueType.of("INT", with -> "1"), " NULL", true, true));
      case TYPE ->
          columns.add(
              new FuzzColumn(
                  "unfit",
                  ValueType.of(
                      dice.of(
                          "UUID",
                          "INET6",
                          "INET4",
                          "VARCHAR(50) COMPRESSED",
                          "BLOB COMPRESSED",
                          "TEXT COMPRESSED"),
                      with -> "NULL"),
                  " NULL",
                  true,
                  true));
    }
  }

  private static void shuffle(Dice dice, List<FuzzColumn> columns) {
    List<FuzzColumn> all = dice.some(columns, columns.size());
    columns.clear();
    columns.addAll(all);
  }

  private static String keyDefinition(
      Optional<Refused> refused, boolean unique, List<FuzzColumn> keyColumns) {
    String list =
        keyColumns.stream().map(FuzzColumn::quoted).collect(Collectors.joining(", ", " (", ")"));
    if (refused.equals(Optional.of(Refused.NO_KEY))) {
      return "";
    }
    // NULL may stand in the key's last column then, which no primary key allows.
    boolean nullable = refused.equals(Optional.of(Refused.NULLABLE_KEY));
    return (unique || nullable ? "UNIQUE KEY" : "PRIMARY KEY") + list;
  }

  /** Values that keys may have; some of them the server takes for the same. */
  private static List<List<String>> keys(Dice dice, List<FuzzColumn> keyColumns) {
    boolean whole = keyColumns.stream().allMatch(column -> column.type().whole());
    int count = whole ? dice.between(20, 220) : dice.between(8, 60);
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                keyColumns.stream()
                    .map(
                        column ->
                            column.type().fitsKeys()
                                ? column.type().key().apply(dice)
                                : column.type().value().apply(dice))
                    .toList())
        .distinct()
        .collect(Collectors.collectingAndThen(Collectors.toList(), Collections::unmodifiableList));
  }

  private static Reading reading(Dice dice, boolean unique, List<FuzzColumn> keyColumns, int keys) {
    return new Reading(
        unique,
        dice.of(keyColumns).name(),
        dice.between(1, 4),
        dice.chance(25) ? 2 : 1,
        Math.max(keys / MOST_CHUNKS, dice.of(2, 3, 7, 20, 100)),
        dice.chance(60) ? OptionalInt.of(dice.of(10, 25, 60)) : OptionalInt.empty());
  }
}
