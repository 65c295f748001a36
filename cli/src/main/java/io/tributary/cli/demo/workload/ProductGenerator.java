package io.tributary.cli.demo.workload;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.random.RandomGenerator;

/** Makes products that look like a shop's: the same randomness makes the same products. */
final class ProductGenerator {
  private static final String[] ADJECTIVES = {
    "프리미엄", "유기농", "초경량", "대용량", "신선한", "핸드메이드", "무선", "방수", "친환경", "한정판", "저자극", "클래식"
  };
  private static final String[] NOUNS = {
    "사과",
    "면 티셔츠",
    "블루투스 이어폰",
    "보온 텀블러",
    "수분 크림",
    "캠핑 의자",
    "그림책",
    "공기청정기",
    "운동화",
    "현미",
    "노트북 파우치",
    "머그컵"
  };
  private static final String[] ENGLISH = {
    "Daily",
    "Pro",
    "Mini",
    "Café Édition",
    "Family Pack",
    "v2",
    "Ångström",
    "Plus+",
    "\"Signature\"",
    "100% \\ pure"
  };
  private static final String[] EMOJI = {
    "🍎", "👕", "🎧", "☕", "🧴", "🏕️", "📚", "🌬️", "👟", "🌾", "💻", "👨‍👩‍👧‍👦", "🇰🇷", "✨"
  };
  private static final String[] BRANDS = {
    "한빛", "Nordlys", "바다마을", "O'Neil & Söhne", "초록들", "Acme", "별하", "東方", "Ёлка"
  };
  private static final String[] CATEGORIES = {
    "fashion", "beauty", "food", "home", "digital", "books"
  };
  private static final String[] TAGS = {
    "new", "best", "gift", "eco", "new,best", "best,gift", "new,gift,eco", "new,best,gift,eco", ""
  };
  private static final String[] COLORS = {"빨강", "파랑", "검정", "흰색", "민트", "베이지"};
  private static final String[] SENTENCES = {
    "매일 쓰기 좋은 가격, 오래 가는 품질.",
    "주문 다음 날 새벽에 문 앞까지 🚚 배송됩니다.",
    "Free returns within 30 days, no questions asked.",
    "리뷰 1,000개 이상, 평점 4.8 ⭐️",
    "국내산 원료만 사용했습니다.\n보관: 서늘한 곳.",
    "Tested by dermatologists; 무향·무색소."
  };
  private static final LocalDate FIRST_DAY = LocalDate.of(2015, 1, 1);
  private static final LocalDateTime FIRST_TIME = LocalDateTime.of(2024, 1, 1, 0, 0);
  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS");
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
  private static final int DAYS = 4_000;
  private static final int SECONDS_OF_TWO_YEARS = 63_000_000;

  private final RandomGenerator random;

  ProductGenerator(RandomGenerator random) {
    this.random = random;
  }

  Product product(long id) {
    return new Product(
        id,
        name(),
        random.nextInt(5) == 0 ? null : description(),
        random.nextInt(8) == 0 ? null : pick(BRANDS),
        pick(CATEGORIES),
        price(),
        random.nextInt(3) == 0 ? null : discountRate(),
        random.nextInt(4) == 0 ? null : random.nextInt(0, 5_001) / 1_000.0,
        random.nextInt(10_000),
        viewCount(),
        random.nextBoolean(),
        random.nextInt(4) == 0 ? null : attributes(),
        random.nextInt(3) == 0 ? null : pick(TAGS),
        random.nextInt(6) == 0 ? null : hash(),
        random.nextInt(5) == 0 ? null : FIRST_DAY.plusDays(random.nextInt(DAYS)).toString(),
        random.nextInt(3) == 0 ? null : saleStart(),
        random.nextInt(4) == 0 ? null : soldAt());
  }

  String name() {
    return pick(ADJECTIVES)
        + " "
        + pick(NOUNS)
        + " "
        + pick(ENGLISH)
        + (random.nextInt(3) == 0 ? " " + pick(EMOJI) : "");
  }

  String price() {
    return BigDecimal.valueOf(random.nextLong(100, 100_000_000), 2).toPlainString();
  }

  String discountRate() {
    return BigDecimal.valueOf(random.nextInt(10_000), 4).toPlainString();
  }

  String soldAt() {
    return SECONDS.format(FIRST_TIME.plusSeconds(random.nextInt(SECONDS_OF_TWO_YEARS)));
  }

  String attributes() {
    return "{\"color\": \"%s\", \"size\": %d, \"weight_kg\": %s, \"gift\": %b, \"options\": [\"%s\", null]}"
        .formatted(
            pick(COLORS),
            random.nextInt(30, 120),
            BigDecimal.valueOf(random.nextInt(1, 90_000), 3).toPlainString(),
            random.nextBoolean(),
            pick(EMOJI));
  }

  private String description() {
    StringBuilder text = new StringBuilder(pick(SENTENCES));
    for (int more = random.nextInt(4); more > 0; more--) {
      text.append(' ').append(pick(SENTENCES));
    }
    return text.toString();
  }

  private long viewCount() {
    // A few above 2^63: an unsigned column must not turn negative on its way.
    return random.nextInt(50) == 0 ? random.nextLong() | Long.MIN_VALUE : random.nextInt(1_000_000);
  }

  private String saleStart() {
    return MILLIS.format(
        FIRST_TIME
            .plusSeconds(random.nextInt(SECONDS_OF_TWO_YEARS))
            .plusNanos(random.nextInt(1_000) * 1_000_000L));
  }

  private byte[] hash() {
    byte[] hash = new byte[random.nextInt(17)];
    random.nextBytes(hash);
    return hash;
  }

  private String pick(String[] from) {
    return from[random.nextInt(from.length)];
  }
}
