/** A product catalogue on MySQL shards: its rows, a fast way to load them, and live changes. */
package io.tributary.cli.demo.workload;
