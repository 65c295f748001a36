package io.tributary.localstack;

/**
 * Which processes of a stack record the archives of their classes that are missing, for later
 * stacks of this checkout.
 */
public enum ClassRecording {
  NOTHING,
  /** The services, at their end, which takes some 10 s longer. */
  SERVICES,
  /**
   * Also a TaskManager and Flink's command line. Worth it for a stack whose first TaskManager runs
   * jobs: their libraries are most of what a TaskManager loads.
   */
  SERVICES_AND_JOBS;

  boolean ofServices() {
    return this != NOTHING;
  }

  boolean ofJobs() {
    return this == SERVICES_AND_JOBS;
  }
}
