package io.tributary.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 90 s}, {@code 10min}, {@code 500 ms}; a bare number counts seconds. */
final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern FORM =
      Pattern.compile("([0-9]+(?:\\.[0-9]{1,3})?) *(ms|s|min|h|d)?");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
  private static final BigDecimal MOST = BigDecimal.valueOf(Duration.ofDays(3_650).toMillis());

  @Override
  public Duration convert(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (matcher.matches()) {
      String unit = matcher.group(2) == null ? "s" : matcher.group(2);
      BigDecimal millis =
          new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(MILLIS.get(unit)));
      if (millis.compareTo(MOST) <= 0) {
        return Duration.ofMillis(millis.longValue());
      }
    }
    throw new TypeConversionException(
        "expected a duration such as '90 s' or '10 min', found '" + text + "'");
  }
}
