package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void columnsAreAsWideAsTheirWidestCellAndNumbersStandRight() {
    TextTable table = new TextTable("shard", "phase", "lag");
    table.row("7", "active", "1.5 s").row("12", "snapshot", "-");

    assertThat(table.lines())
        .containsExactly(
            "shard  phase       lag", //
            "    7  active    1.5 s",
            "   12  snapshot      -");
  }
}
