package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.relational.Column;
import io.debezium.relational.ColumnEditor;
import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.SourceColumn;
import io.tributary.ingest.row.TypeMapping;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoneColumnTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // begun, its collation; then: word, length, scale, character set; whether it is read alike
        "int(11)||INT|11|||true",
        "int(11)||INTEGER||||true",
        "tinyint(1)||INT||||true",
        "int(11)||BIGINT||||false",
        "int(11)||INT UNSIGNED||||false",
        "int(10) unsigned||BIGINT||||true",
        "int(10) unsigned||INT UNSIGNED|10|||true",
        "bigint(20)||BIGINT UNSIGNED||||false",
        "bigint(20) unsigned||BIGINT UNSIGNED ZEROFILL|20|||true",
        "int(11)||DECIMAL|10|2||false",
        "decimal(10,2)||NUMERIC|10|2||true",
        "decimal(10,2)||DECIMAL|12|2||false",
        "decimal(10,0)||DECIMAL||||true",
        "bit(8)||BIT|8|||true",
        "bit(8)||BIT|9|||false",
        "float||DOUBLE||||false",
        "varchar(9)|utf8mb4_bin|TEXT|||utf8mb4|true",
        "varchar(9)|utf8mb4_bin|VARCHAR|90|||true",
        "varchar(9)|utf8mb4_bin|VARCHAR|9||latin1|false",
        "varchar(9)|latin1_bin|VARCHAR|9||binary|true",
        "varchar(9)|latin1_bin|VARCHAR|9||utf8mb4|false",
        "varchar(9)|utf8mb4_bin|INT||||false",
        "date||VARCHAR|32||utf8mb4|true",
        "date||DATE||||true",
        "date||DATETIME|6|||false",
        "time||VARCHAR|32||utf8mb4|true",
        "timestamp||DATETIME||||false",
        "year(4)||INT||||false",
        "point||LONGBLOB||||true",
        "point||GEOMETRY||||false",
        "varbinary(9)||BLOB||||true",
      })
  void isReadAlikeOnlyWhenNothingThatMattersChanged(
      String begun,
      String collation,
      String word,
      Integer length,
      Integer scale,
      String charset,
      boolean alike) {
    ColumnEditor then = Column.editor().name("c").type(word).jdbcType(0);
    Optional.ofNullable(length).ifPresent(then::length);
    Optional.ofNullable(scale).ifPresent(then::scale);
    Optional.ofNullable(charset).ifPresent(then::charsetName);
    assertThat(GoneColumn.isUnchanged(column(begun, collation), then.create())).isEqualTo(alike);
  }

  private static RowLayout.Column column(String type, String collation) {
    String[] numbers = type.replaceAll("[^0-9,]", "").split(",");
    OptionalInt first =
        numbers[0].isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(numbers[0]));
    OptionalInt second =
        numbers.length < 2 ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(numbers[1]));
    SourceColumn column =
        new SourceColumn(
            "c",
            type.split("[ (]")[0],
            type,
            true,
            OptionalLong.empty(),
            first,
            second,
            OptionalInt.empty(),
            Optional.ofNullable(collation),
            "");
    return LayoutPlanner.layoutColumn(column, (TypeMapping.Mapped) TypeMapping.of(column));
  }
}
