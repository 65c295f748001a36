package io.tributary.protocol;

/** The names of a table's topics, where the registry does not say otherwise. */
public final class TopicNames {
  private TopicNames() {}

  /** Where ingest jobs hand committables over; read by the coordinator alone. */
  public static String control(TableName table) {
    return "tributary.control." + table;
  }

  /** Where the coordinator announces rounds; read by everybody. */
  public static String status(TableName table) {
    return "tributary.status." + table;
  }
}
