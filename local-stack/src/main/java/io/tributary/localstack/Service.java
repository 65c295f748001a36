package io.tributary.localstack;

/** A kind of service that a local stack can run. */
public enum Service {
  /** MySQL-compatible source servers with a row binlog. */
  MARIADB,
  /** One Kafka broker in KRaft mode with transactions. */
  KAFKA,
  /** One ZooKeeper server. */
  ZOOKEEPER,
  /** One Hive metastore with an embedded Derby database. */
  METASTORE,
  /** A standalone Flink cluster; brings {@link #ZOOKEEPER} along for its high availability. */
  FLINK
}
