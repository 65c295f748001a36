package io.tributary.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Builds the command line of a service that runs on the same Java as this process. */
final class JavaCommand {

  private static final long LARGE_BYTES = 10L << 20;

  private final List<String> options = new ArrayList<>();
  private final List<String> classpath = new ArrayList<>();

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  JavaCommand option(String option) {
    options.add(option);
    return this;
  }

  /** Runs last minutes here: what the better compiler saves, it does not earn back in that time. */
  JavaCommand quickStart() {
    return option("-XX:TieredStopAtLevel=1");
  }

  JavaCommand options(List<String> more) {
    options.addAll(more);
    return this;
  }

  /**
   * A killed JVM leaves some behind: they go with the stack's data, not to the machine's folder.
   */
  JavaCommand temporaryFilesIn(StackFolder folder) {
    return option("-Djava.io.tmpdir=" + folder.tmp());
  }

  /** A jar or a folder of classes. */
  JavaCommand classes(Path place) {
    classpath.add(place.toString());
    return this;
  }

  /** A whole classpath. */
  JavaCommand classpath(String places) {
    classpath.add(places);
    return this;
  }

  /** Jars in this order. */
  JavaCommand jars(List<Path> jars) {
    jars.forEach(this::classes);
    return this;
  }

  /**
   * All jars of a folder, always in the same order: class archives depend on it, and so does which
   * copy of a class wins. The largest come last, since each lookup opens the jars in front of it.
   */
  static List<Path> jarsIn(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".jar"))
          .sorted(Comparator.comparing(JavaCommand::isLarge).thenComparing(Path::toString))
          .toList();
    } catch (IOException e) {
      throw new LocalStackException("Cannot list the jars in " + folder, e);
    }
  }

  private static boolean isLarge(Path jar) {
    return jar.toFile().length() > LARGE_BYTES;
  }

  List<String> main(String mainClass, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(options);
    command.add("-cp");
    command.add(String.join(":", classpath));
    command.add(mainClass);
    command.addAll(List.of(arguments));
    return command;
  }
}
