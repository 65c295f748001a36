package io.tributary.loadtests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class PlotTest {
  @Test
  void powersOfTenLieAtEqualDistances() throws Exception {
    Document svg =
        parse(
            new Plot("a < b & c", "groups", "ms", true)
                .line(
                    "one",
                    List.of(
                        new Plot.Point(1, 10), new Plot.Point(10, 100), new Plot.Point(100, 1000)))
                .line("nothing", List.of())
                .svg());

    assertThat(svg.getElementsByTagName("text").item(0).getTextContent()).isEqualTo("a < b & c");
    assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(1);
    double[] x =
        IntStream.range(0, 3)
            .mapToDouble(
                i ->
                    Double.parseDouble(
                        ((Element) svg.getElementsByTagName("circle").item(i)).getAttribute("cx")))
            .toArray();
    assertThat(x[1] - x[0]).isPositive().isEqualTo(x[2] - x[1]);
  }

  @Test
  void aPlainAxisBeginsAtNaught() throws Exception {
    Document svg =
        parse(
            new Plot("growth", "round", "ms", false)
                .line("median", List.of(new Plot.Point(50, 7), new Plot.Point(100, 7)))
                .svg());

    Element first = (Element) svg.getElementsByTagName("circle").item(0);
    Element second = (Element) svg.getElementsByTagName("circle").item(1);
    assertThat(first.getAttribute("cy")).isEqualTo(second.getAttribute("cy"));
    assertThat(Double.parseDouble(second.getAttribute("cx")) - 80)
        .isEqualTo(2 * (Double.parseDouble(first.getAttribute("cx")) - 80));
  }

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }
}
