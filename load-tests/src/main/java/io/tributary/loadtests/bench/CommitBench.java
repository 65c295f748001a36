package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.localstack.StackEndpoints;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What a round costs: the coordinator against as many committers that know nothing of each other,
 * with the same files, turn by turn; then the coordinator alone with more groups.
 */
final class CommitBench {
  private static final int BUCKETS = 5;
  private static final int WARM_UP = 3;

  /** How many rounds of the coordinator are measured for one of the others. */
  private static final int TURN = 5;

  /**
   * How much is measured.
   *
   * @param compared numbers of groups that both sides commit
   * @param turns how often both sides take turns; given up once the others ran into the bound
   * @param alone numbers of groups that the coordinator alone commits
   * @param rounds of each of these
   * @param bound of a round of the independent committers
   */
  record Size(List<Integer> compared, int turns, List<Integer> alone, int rounds, Duration bound) {
    static final Size FULL =
        new Size(
            List.of(8, 32, 128), 3, List.of(128, 256, 512, 1_024), 12, Duration.ofSeconds(180));
    static final Size QUICK =
        new Size(List.of(8, 32, 128), 1, List.of(128, 256, 512, 1_024), 4, Duration.ofSeconds(60));
    static final Size TINY = new Size(List.of(2, 3), 1, List.of(3, 4), 2, Duration.ofSeconds(60));
  }

  private final StackEndpoints stack;
  private final Size size;
  private final Consumer<String> progress;
  private final ArrayNode runs = Json.object().putArray("runs");
  private final ObjectNode figures = Json.object();
  private final List<String> lines = new ArrayList<>();
  private final List<Plot.Point> coordinator = new ArrayList<>();
  private final List<Plot.Point> independent = new ArrayList<>();
  private final Map<Integer, Double> medians = new TreeMap<>();

  CommitBench(StackEndpoints stack, Size size, Consumer<String> progress) {
    this.stack = stack;
    this.size = size;
    this.progress = progress;
  }

  BenchResult run() throws IOException, InterruptedException {
    for (int groups : size.compared()) {
      compare(groups);
    }
    for (int groups : size.alone()) {
      alone(groups);
    }
    int most = size.alone().get(size.alone().size() - 1);
    int least = size.alone().get(0);
    figures.put(
        "commit.%d.ratioTo%d".formatted(most, least),
        Times.rounded(medians.get(most) / medians.get(least)));
    Plot plot =
        new Plot("Wall of one round, by groups", "groups", "ms", true)
            .line("coordinator", coordinator)
            .line("independent", independent);
    return new BenchResult(settings(), runs, figures, lines, plot);
  }

  private ObjectNode settings() {
    ObjectNode settings = Json.object();
    settings
        .putObject("both")
        .put("columns", Catalogs.schema().columns().size())
        .put("filesPerGroupAndRound", 3 * BUCKETS)
        .put(
            "files",
            "5 data, 5 equality-delete, 5 position-delete files a group, with statistics; hard links to real Parquet files, not to be queried")
        .put("catalog", "Hive metastore, without locks")
        .put(
            "processes", "both sides in this process, each committer with a connection of its own");
    settings
        .putObject("coordinator")
        .put("round", "from its tick, all committables read from Kafka, to the message published")
        .put("heap", "used after a full collection right before the swap, all of the process")
        .put("warmUpRounds", WARM_UP);
    ObjectNode others = settings.putObject("independent");
    others
        .put("round", "from the common start until everybody has committed once, or the bound")
        .put("boundSeconds", size.bound().toSeconds());
    Independents.PROPERTIES.forEach(others::put);
    return settings;
  }

  private void compare(int groups) throws IOException, InterruptedException {
    List<Double> rounds = new ArrayList<>();
    List<Double> others = new ArrayList<>();
    List<Double> commits = new ArrayList<>();
    int committed = 0;
    int failed = 0;
    boolean bounded = false;
    long retriesBefore = CommitCounter.retries();
    try (BenchTable table =
            new BenchTable(
                "compared_" + groups,
                stack,
                groups,
                BUCKETS,
                Map.of(),
                TableMaintenance.Limits.DEFAULT);
        Independents many = new Independents("independent_" + groups, stack, groups, BUCKETS)) {
      for (int i = 0; i < WARM_UP; i++) {
        table.round();
      }
      for (int turn = 0; turn < size.turns() && !bounded; turn++) {
        progress.accept("%d groups: turn %d of %d".formatted(groups, turn + 1, size.turns()));
        for (int i = 0; i < TURN; i++) {
          rounds.add(table.round().roundMs());
        }
        Independents.Round round = many.round(size.bound());
        others.add(round.wallMs());
        commits.addAll(round.commits());
        committed += round.commits().size();
        failed += round.failed();
        bounded = !round.complete();
      }
      Times ours = new Times(rounds);
      Times theirs = new Times(others);
      ObjectNode run = run("coordinator", groups, ours);
      run.put("conflicts", table.conflicts()).put("retries", table.conflicts());
      run.set("table", TableSize.of(table.table()).json());
      ObjectNode other = run("independent", groups, theirs);
      other
          .put("bounded", bounded)
          .put("committed", committed)
          .put("failed", failed)
          .put("retries", CommitCounter.retries() - retriesBefore);
      other.set("commitMs", new Times(commits).json());
      other.set("table", TableSize.of(many.table()).json());
      double ratio = theirs.median() / ours.median();
      String name = "commit.%d.".formatted(groups);
      figures
          .put(name + "ratioToIndependent", Times.rounded(ratio))
          .put(name + "independentBounded", bounded)
          .put(name + "conflicts", table.conflicts());
      coordinator.add(new Plot.Point(groups, ours.median()));
      independent.add(new Plot.Point(groups, theirs.median()));
      say(
          "%5d groups  coordinator %s, %d conflicts; independent %s%s, %d of %d committed, %d retries; %s%.1f times"
              .formatted(
                  groups,
                  ours,
                  table.conflicts(),
                  bounded ? "over " : "",
                  theirs,
                  committed,
                  groups * others.size(),
                  CommitCounter.retries() - retriesBefore,
                  bounded ? "at least " : "",
                  ratio));
    }
  }

  private void alone(int groups) throws IOException, InterruptedException {
    List<Double> rounds = new ArrayList<>();
    List<Double> commits = new ArrayList<>();
    try (BenchTable table =
        new BenchTable(
            "alone_" + groups, stack, groups, BUCKETS, Map.of(), TableMaintenance.Limits.DEFAULT)) {
      for (int i = 0; i < WARM_UP; i++) {
        table.round();
      }
      for (int i = 0; i < size.rounds(); i++) {
        progress.accept("%d groups: round %d of %d".formatted(groups, i + 1, size.rounds()));
        BenchTable.Round round = table.round();
        rounds.add(round.roundMs());
        commits.add(round.commitMs());
      }
      long heapMiB = table.heapMiB();
      Times ours = new Times(rounds);
      ObjectNode run = run("coordinator alone", groups, ours);
      run.put("conflicts", table.conflicts()).put("heapMiB", heapMiB);
      run.set("commitMs", new Times(commits).json());
      run.set("table", TableSize.of(table.table()).json());
      String name = "commit.%d.".formatted(groups);
      figures
          .put(name + "p50Ms", Times.rounded(ours.median()))
          .put(name + "p99Ms", Times.rounded(ours.percentile(99)))
          .put(name + "heapMiB", heapMiB);
      medians.put(groups, ours.median());
      if (!size.compared().contains(groups)) {
        coordinator.add(new Plot.Point(groups, ours.median()));
      }
      say(
          "%5d groups  coordinator alone %s, of which the commit %s; %d conflicts, heap %,d MiB"
              .formatted(groups, ours, new Times(commits), table.conflicts(), heapMiB));
    }
  }

  private void say(String line) {
    lines.add(line);
    progress.accept(line);
  }

  private ObjectNode run(String side, int groups, Times wall) {
    ObjectNode run = runs.addObject().put("side", side).put("groups", groups);
    run.set("roundMs", wall.json());
    return run;
  }
}
