/** The whole way of a row on one machine: stack, shards, registry, jobs, workload, check. */
package io.tributary.cli.demo;
