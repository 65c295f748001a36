package io.tributary.loadtests.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The coordinator as it would be without one of its rules: the class that says which rules hold is
 * compiled anew from its source with that rule left out. The product itself has no such switch.
 */
final class BrokenBuild {
  private static final String RULES = "io/tributary/coordinator/core/Protections";
  private static final String NONE_LEFT_OUT =
      "ALL = new Protections(EnumSet.noneOf(Protection.class))";

  private BrokenBuild() {}

  /**
   * @param rule the name of a rule of the coordinator
   * @param checkout holds the product's sources and what was built of them
   * @param jar the new job jar
   */
  static Path without(String rule, Path checkout, Path jar) throws IOException {
    Path module = checkout.resolve("coordinator");
    String source =
        Files.readString(module.resolve(Path.of("src", "main", "java", RULES + ".java")));
    if (!source.contains(NONE_LEFT_OUT)) {
      throw new AssertionError(
          "Cannot leave out a rule: expected the source to say that none is left out");
    }
    Path work = Files.createTempDirectory("broken-build");
    Path broken = work.resolve("Protections.java");
    Files.writeString(
        broken,
        source.replace(
            NONE_LEFT_OUT, "ALL = new Protections(EnumSet.of(Protection." + rule + "))"));
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                work.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                broken.toString());
    if (code != 0) {
      throw new AssertionError("Cannot compile the coordinator without " + rule);
    }
    Map<String, Path> classes = new HashMap<>();
    try (Stream<Path> found = Files.walk(work)) {
      found
          .filter(file -> file.toString().endsWith(".class"))
          .forEach(file -> classes.put(work.relativize(file).toString(), file));
    }
    Files.createDirectories(jar.getParent());
    copy(jobJar(module), jar, classes);
    return jar;
  }

  private static Path jobJar(Path module) throws IOException {
    try (Stream<Path> jars = Files.list(module.resolve("target"))) {
      List<Path> found = jars.filter(file -> file.toString().endsWith("-job.jar")).toList();
      if (found.size() != 1) {
        throw new AssertionError("Cannot find the job's jar: expected one, found " + found);
      }
      return found.get(0);
    }
  }

  private static void copy(Path from, Path to, Map<String, Path> replaced) throws IOException {
    int replacements = 0;
    try (JarFile original = new JarFile(from.toFile());
        OutputStream file = Files.newOutputStream(to);
        JarOutputStream copy = new JarOutputStream(file)) {
      for (JarEntry entry : original.stream().toList()) {
        copy.putNextEntry(new JarEntry(entry.getName()));
        Path other = replaced.get(entry.getName());
        if (other != null) {
          Files.copy(other, copy);
          replacements++;
        } else if (!entry.isDirectory()) {
          try (InputStream content = original.getInputStream(entry)) {
            content.transferTo(copy);
          }
        }
        copy.closeEntry();
      }
    }
    if (replacements != replaced.size()) {
      throw new AssertionError(
          "Cannot replace a class of the coordinator: expected %s in the jar, found %d of them"
              .formatted(replaced.keySet(), replacements));
    }
  }
}
