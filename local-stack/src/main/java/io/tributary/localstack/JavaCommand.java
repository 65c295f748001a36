package io.tributary.localstack;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builds the command line of a service that runs on the same Java as this process. */
final class JavaCommand {

  private final List<String> options = new ArrayList<>();
  private final List<String> classpath = new ArrayList<>();

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  JavaCommand option(String option) {
    options.add(option);
    return this;
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

  /** All jars of a folder. */
  JavaCommand jars(Path folder) {
    classpath.add(folder.resolve("*").toString());
    return this;
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
