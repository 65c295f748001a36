/**
 * What operators describe: the catalog, Kafka, the MySQL servers, the Iceberg tables, the shard
 * groups and the shards; how it is read from YAML, checked, and written as canonical JSON.
 *
 * <p>Pure: this package knows neither ZooKeeper nor Flink, Kafka, Iceberg or JDBC; the build checks
 * it. The registry's home in ZooKeeper is {@code io.tributary.registry.zookeeper}.
 */
package io.tributary.registry;
