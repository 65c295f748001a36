package io.tributary.ingest.row;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeMappingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tinyint(1)|int",
        "tinyint(3) unsigned|int",
        "mediumint(8) unsigned|int",
        "int(11)|int",
        "int(10) unsigned|long",
        "int(10) zerofill|long",
        "bigint(20)|long",
        "bigint(20) unsigned|decimal(20, 0)",
        "year(4)|int",
        "float|float",
        "double|double",
        "varchar(20)|string",
        "enum('a')|string",
        "set('a')|string",
        "json|string",
        "binary(16)|binary",
        "longblob|binary",
        "date|date",
        "datetime(6)|timestamp",
        "timestamp(6)|timestamptz",
        "time(3)|string",
        "time(6)|string",
        "geometry|binary"
      })
  void losesNothing(String sourceType, String tableType) {
    assertThat(TypeMapping.of(SourceColumn.of("c", sourceType)))
        .isInstanceOfSatisfying(
            TypeMapping.Mapped.class, mapped -> assertThat(mapped.type()).hasToString(tableType));
  }

  @Test
  void keepsDecimalsExactAndWritesLargerOnesAsText() {
    assertThat(type(SourceColumn.of("c", "decimal(38,10)").digits(38, 10)))
        .isEqualTo("decimal(38, 10)");
    assertThat(type(SourceColumn.of("c", "decimal(65,30)").digits(65, 30))).isEqualTo("string");
  }

  @Test
  void takesBitsAsTheirNumber() {
    assertThat(type(SourceColumn.of("c", "bit(1)").digits(1, 0))).isEqualTo("int");
    assertThat(type(SourceColumn.of("c", "bit(31)").digits(31, 0))).isEqualTo("int");
    assertThat(type(SourceColumn.of("c", "bit(32)").digits(32, 0))).isEqualTo("long");
    assertThat(type(SourceColumn.of("c", "bit(63)").digits(63, 0))).isEqualTo("long");
    assertThat(type(SourceColumn.of("c", "bit(64)").digits(64, 0))).isEqualTo("decimal(20, 0)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"inet4", "inet6", "uuid", "vector(3)", "xmltype", "something"})
  void refusesTheRest(String sourceType) {
    assertThat(TypeMapping.of(SourceColumn.of("c", sourceType)))
        .isInstanceOfSatisfying(
            TypeMapping.Refused.class,
            refused -> {
              assertThat(refused.reason()).contains(sourceType);
              assertThat(refused.cure()).isNotBlank();
            });
  }

  private static String type(SourceColumn column) {
    return ((TypeMapping.Mapped) TypeMapping.of(column)).type().toString();
  }
}
