package io.tributary.localstack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Looks at this machine's processes and at the stack's files from outside. */
final class TestProcesses {

  private TestProcesses() {}

  /** Below target/, gone with mvn clean. */
  static Path folder(String name) {
    return Installation.find()
        .checkout()
        .resolve(Path.of("service-tests", "target", "stacks", name));
  }

  /** Command lines of all other processes that name the folder. */
  static List<String> commandLinesNaming(Path folder) throws IOException {
    List<String> found = new ArrayList<>();
    long self = ProcessHandle.current().pid();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process : processes.toList()) {
        if (!process.getFileName().toString().chars().allMatch(Character::isDigit)
            || Long.parseLong(process.getFileName().toString()) == self) {
          continue;
        }
        try {
          String line =
              new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8)
                  .replace('\0', ' ');
          if (line.contains(folder.toString())) {
            found.add(process.getFileName() + " " + line);
          }
        } catch (IOException e) {
          // Ended while we looked.
        }
      }
    }
    return found;
  }

  /** Packs the given classes' packages from the test classes into a jar. */
  static Path jar(Path jar, Class<?>... classes) throws IOException {
    Files.createDirectories(jar.getParent());
    try (var out = new java.util.jar.JarOutputStream(Files.newOutputStream(jar))) {
      for (Class<?> type : classes) {
        String entry = type.getName().replace('.', '/') + ".class";
        out.putNextEntry(new java.util.zip.ZipEntry(entry));
        try (var in = type.getClassLoader().getResourceAsStream(entry)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
    return jar;
  }
}
