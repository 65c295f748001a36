package io.tributary.loadtests.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/** A small line plot as SVG text, with axes in powers of ten or plain ones. */
final class Plot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 420;
  private static final int LEFT = 80;
  private static final int RIGHT = 180;
  private static final int TOP = 40;
  private static final int BOTTOM = 50;
  private static final List<String> COLOURS = List.of("#1565c0", "#c62828", "#2e7d32", "#6a1b9a");

  /** A point. */
  record Point(double x, double y) {}

  private final String title;
  private final String xName;
  private final String yName;
  private final boolean logarithmic;
  private final Map<String, List<Point>> lines = new LinkedHashMap<>();

  /**
   * @param logarithmic whether both axes are, for values above 0
   */
  Plot(String title, String xName, String yName, boolean logarithmic) {
    this.title = title;
    this.xName = xName;
    this.yName = yName;
    this.logarithmic = logarithmic;
  }

  Plot line(String name, List<Point> points) {
    if (!points.isEmpty()) {
      lines.put(name, List.copyOf(points));
    }
    return this;
  }

  String svg() {
    List<Point> all = lines.values().stream().flatMap(List::stream).toList();
    Axis x = axis(all.stream().mapToDouble(Point::x).toArray(), LEFT, WIDTH - RIGHT);
    Axis y = axis(all.stream().mapToDouble(Point::y).toArray(), HEIGHT - BOTTOM, TOP);
    StringBuilder svg = new StringBuilder();
    add(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">",
        WIDTH,
        HEIGHT);
    add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    text(svg, LEFT, 22, "start", title);
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", xName);
    text(svg, 8, TOP - 8, "start", yName);
    for (double tick : x.ticks()) {
      add(
          svg,
          "<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"#ddd\"/>",
          x.at(tick),
          TOP,
          HEIGHT - BOTTOM);
      text(svg, x.at(tick), HEIGHT - BOTTOM + 16, "middle", number(tick));
    }
    for (double tick : y.ticks()) {
      add(
          svg,
          "<line x1=\"%2$d\" x2=\"%3$d\" y1=\"%1$.1f\" y2=\"%1$.1f\" stroke=\"#ddd\"/>",
          y.at(tick),
          LEFT,
          WIDTH - RIGHT);
      text(svg, LEFT - 6, y.at(tick) + 4, "end", number(tick));
    }
    int colour = 0;
    for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
      String stroke = COLOURS.get(colour % COLOURS.size());
      StringBuilder path = new StringBuilder();
      for (Point point : line.getValue()) {
        path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x.at(point.x()), y.at(point.y())));
        if (line.getValue().size() <= 20) {
          add(
              svg,
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
              x.at(point.x()),
              y.at(point.y()),
              stroke);
        }
      }
      add(
          svg,
          "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>",
          stroke,
          path.toString().strip());
      int row = TOP + 16 * colour++;
      add(
          svg,
          "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>",
          WIDTH - RIGHT + 12,
          row,
          stroke);
      text(svg, WIDTH - RIGHT + 28, row + 9, "start", line.getKey());
    }
    svg.append("</svg>\n");
    return svg.toString();
  }

  private record Axis(DoubleUnaryOperator scale, double from, double to, List<Double> ticks) {
    double at(double value) {
      return from + scale.applyAsDouble(value) * (to - from);
    }
  }

  private Axis axis(double[] values, double from, double to) {
    double most = Arrays.stream(values).max().orElse(1);
    if (logarithmic) {
      double least = Arrays.stream(values).min().orElse(1);
      double low = Math.floor(Math.log10(least));
      double high = Math.max(low + 1, Math.ceil(Math.log10(most)));
      List<Double> ticks =
          IntStream.rangeClosed((int) low, (int) high)
              .mapToObj(power -> Math.pow(10, power))
              .toList();
      return new Axis(value -> (Math.log10(value) - low) / (high - low), from, to, ticks);
    }
    double step = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1))));
    double top = Math.max(1, Math.ceil(most / step)) * step;
    List<Double> ticks =
        IntStream.rangeClosed(0, (int) Math.round(top / step)).mapToObj(i -> i * step).toList();
    return new Axis(value -> value / top, from, to, ticks);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%s", value);
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    add(
        svg,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        x,
        y,
        anchor,
        text.replace("&", "&amp;").replace("<", "&lt;"));
  }

  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
