/**
 * The registry's home in ZooKeeper: published versions, counters for incarnations and terms, and
 * leases. Only this package knows ZooKeeper and Curator; the build checks it.
 */
package io.tributary.registry.zookeeper;
