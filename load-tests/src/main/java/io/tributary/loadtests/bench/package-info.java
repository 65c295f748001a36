/** Benchmarks against real servers: how fast rounds are, and whether they stay so. */
package io.tributary.loadtests.bench;
