package io.tributary.loadtests.chaos;

import static io.tributary.loadtests.chaos.FaultKind.Action.CUT;
import static io.tributary.loadtests.chaos.FaultKind.Action.DELAY;
import static io.tributary.loadtests.chaos.FaultKind.Action.DROP;
import static io.tributary.loadtests.chaos.FaultKind.Action.HOLD;
import static io.tributary.loadtests.chaos.FaultKind.Action.KILL;
import static io.tributary.loadtests.chaos.FaultKind.Action.OUTAGE;
import static io.tributary.loadtests.chaos.FaultKind.Action.PAUSE;
import static io.tributary.loadtests.chaos.FaultKind.Action.RESTART_WITHOUT_STATE;
import static io.tributary.loadtests.chaos.FaultKind.Action.RESTART_WITH_STATE;

import java.util.Locale;

/** What is done to what. */
public enum FaultKind {
  KILL_INGEST(KILL, Part.INGEST),
  KILL_COORDINATOR(KILL, Part.COORDINATOR),
  KILL_JOBMANAGER(KILL, Part.JOBMANAGER),
  KILL_KAFKA(KILL, Part.KAFKA),
  KILL_ZOOKEEPER(KILL, Part.ZOOKEEPER),
  KILL_METASTORE(KILL, Part.METASTORE),
  KILL_MARIADB(KILL, Part.MARIADB),
  PAUSE_INGEST(PAUSE, Part.INGEST),
  PAUSE_COORDINATOR(PAUSE, Part.COORDINATOR),
  PAUSE_JOBMANAGER(PAUSE, Part.JOBMANAGER),
  PAUSE_KAFKA(PAUSE, Part.KAFKA),
  PAUSE_ZOOKEEPER(PAUSE, Part.ZOOKEEPER),
  PAUSE_METASTORE(PAUSE, Part.METASTORE),
  PAUSE_MARIADB(PAUSE, Part.MARIADB),
  HOLD_CONNECTION(HOLD, Part.NETWORK),
  DROP_CONNECTION(DROP, Part.NETWORK),
  DELAY_CONNECTION(DELAY, Part.NETWORK),
  CUT_CONNECTION(CUT, Part.NETWORK),
  RESTART_INGEST_WITH_STATE(RESTART_WITH_STATE, Part.INGEST),
  RESTART_INGEST_WITHOUT_STATE(RESTART_WITHOUT_STATE, Part.INGEST),
  RESTART_COORDINATOR_WITH_STATE(RESTART_WITH_STATE, Part.COORDINATOR),
  RESTART_COORDINATOR_WITHOUT_STATE(RESTART_WITHOUT_STATE, Part.COORDINATOR),
  OUTAGE_KAFKA(OUTAGE, Part.KAFKA),
  OUTAGE_METASTORE(OUTAGE, Part.METASTORE),
  OUTAGE_ZOOKEEPER(OUTAGE, Part.ZOOKEEPER);

  /** What is done. */
  enum Action {
    /** SIGKILL; the process is started again by its supervisor. */
    KILL,
    /** SIGSTOP, and SIGCONT after a while. */
    PAUSE,
    /** Requests or answers wait in the proxy. */
    HOLD,
    /** Requests or answers disappear; the connections are cut afterwards. */
    DROP,
    /** Everything comes late. */
    DELAY,
    /** All connections are cut, and new ones refused for a while. */
    CUT,
    /** The job is cancelled and submitted with its newest checkpoint. */
    RESTART_WITH_STATE,
    /** The job is cancelled and submitted without any state. */
    RESTART_WITHOUT_STATE,
    /** The service is stopped for three times the longest timeout that its clients have. */
    OUTAGE
  }

  /** What it is done to. */
  enum Part {
    /** A group's job, or the TaskManager that runs it. */
    INGEST,
    /** The coordinator's job, or the TaskManager that runs it. */
    COORDINATOR,
    JOBMANAGER,
    KAFKA,
    ZOOKEEPER,
    METASTORE,
    MARIADB,
    /** What lies between the jobs and Kafka, ZooKeeper, the metastore or a MariaDB server. */
    NETWORK
  }

  private final Action action;
  private final Part part;

  FaultKind(Action action, Part part) {
    this.action = action;
    this.part = part;
  }

  Action action() {
    return action;
  }

  Part part() {
    return part;
  }

  /** The name in results. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
