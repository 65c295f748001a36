package io.tributary.cli.demo.workload;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/**
 * One product. Nullable parts are null where the catalogue knows nothing.
 *
 * @param id the primary key
 * @param viewCount unsigned: negative stands for 2^63 and more
 * @param saleStartsAt text of a DATETIME(3)
 * @param lastSoldAt text of a TIMESTAMP in UTC
 */
record Product(
    long id,
    String name,
    String description,
    String brand,
    String category,
    String price,
    String discountRate,
    Double rating,
    long stock,
    long viewCount,
    boolean onSale,
    String attributes,
    String tags,
    byte[] thumbnailHash,
    String releasedOn,
    String saleStartsAt,
    String lastSoldAt) {

  static final String CREATE_COLUMNS =
      """
      (
        product_id BIGINT NOT NULL,
        name VARCHAR(200) NOT NULL,
        description TEXT NULL,
        brand VARCHAR(80) NULL,
        category ENUM('fashion','beauty','food','home','digital','books') NOT NULL,
        price DECIMAL(14,2) NOT NULL,
        discount_rate DECIMAL(5,4) NULL,
        rating DOUBLE NULL,
        stock INT UNSIGNED NOT NULL,
        view_count BIGINT UNSIGNED NOT NULL,
        on_sale TINYINT(1) NOT NULL,
        attributes JSON NULL,
        tags SET('new','best','gift','eco') NULL,
        thumbnail_hash VARBINARY(16) NULL,
        released_on DATE NULL,
        sale_starts_at DATETIME(3) NULL,
        last_sold_at TIMESTAMP NULL DEFAULT NULL,
        updated_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)
          ON UPDATE CURRENT_TIMESTAMP(6),
        PRIMARY KEY (product_id)
      ) DEFAULT CHARACTER SET utf8mb4""";

  private static final String COLUMNS =
      "product_id, name, description, brand, category, price, discount_rate, rating, stock,"
          + " view_count, on_sale, attributes, tags, thumbnail_hash, released_on, sale_starts_at,"
          + " last_sold_at";

  /** The statement that {@link #bind} fills. */
  static String insertInto(String table) {
    return "INSERT INTO "
        + table
        + " ("
        + COLUMNS
        + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  }

  void bind(PreparedStatement insert) throws SQLException {
    int i = 0;
    insert.setLong(++i, id);
    insert.setString(++i, name);
    insert.setString(++i, description);
    insert.setString(++i, brand);
    insert.setString(++i, category);
    insert.setString(++i, price);
    insert.setString(++i, discountRate);
    if (rating == null) {
      insert.setNull(++i, Types.DOUBLE);
    } else {
      insert.setDouble(++i, rating);
    }
    insert.setLong(++i, stock);
    insert.setString(++i, Long.toUnsignedString(viewCount));
    insert.setInt(++i, onSale ? 1 : 0);
    insert.setString(++i, attributes);
    insert.setString(++i, tags);
    insert.setBytes(++i, thumbnailHash);
    insert.setString(++i, releasedOn);
    insert.setString(++i, saleStartsAt);
    insert.setString(++i, lastSoldAt);
  }
}
