/**
 * Brings the jobs of a registry up on a Flink cluster and down again. How a job gets onto the
 * cluster is behind {@link io.tributary.cli.jobs.JobLauncher}.
 */
package io.tributary.cli.jobs;
