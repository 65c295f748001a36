package io.tributary.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of one stack.
 *
 * <pre>
 * stack.json    what runs where, for other processes
 * lock          held by the process that supervises the stack
 * data/NAME     data of a service
 * logs/         logs of all services
 * conf/         written anew at each start
 * run/NAME.pid  number and start time of each running service
 * secrets/      passwords, for the owner's eyes only
 * </pre>
 *
 * @param root the folder of the stack, absolute
 */
record StackFolder(Path root) {

  private static final Set<String> CONTENT = Set.of("data", "logs", "conf", "run", "secrets");
  private static final int LOG_TAIL_LINES = 30;
  private static final int LOG_SHOWN_LINES = 60;
  private static final Pattern LOG_ERROR = Pattern.compile(" (ERROR|FATAL) |\\[ERROR\\]");

  Path stackFile() {
    return root.resolve("stack.json");
  }

  Path lockFile() {
    return root.resolve("lock");
  }

  Path data(String name) {
    return root.resolve("data").resolve(name);
  }

  /** Temporary files of the services, emptied at each start. */
  Path tmp() {
    return data("tmp");
  }

  Path logs() {
    return root.resolve("logs");
  }

  Path log(String name) {
    return logs().resolve(name);
  }

  Path conf() {
    return root.resolve("conf");
  }

  Path run() {
    return root.resolve("run");
  }

  Path pidFile(String name) {
    return run().resolve(name + ".pid");
  }

  Path secrets() {
    return root.resolve("secrets");
  }

  /** Makes the folders; those with secrets for the owner alone. */
  void create() {
    try {
      Files.createDirectories(root);
      for (Path folder : List.of(tmp(), logs(), conf(), run())) {
        Files.createDirectories(folder);
      }
      if (!Files.isDirectory(secrets())) {
        Files.createDirectory(
            secrets(),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (IOException e) {
      throw new LocalStackException("Cannot create the folders of a local stack in " + root, e);
    }
  }

  /** Deletes everything that a stack wrote here, and nothing else. */
  void wipe() {
    try {
      for (String content : CONTENT) {
        deleteTree(root.resolve(content));
      }
      Files.deleteIfExists(stackFile());
    } catch (IOException e) {
      throw new LocalStackException("Cannot wipe the local stack in " + root, e);
    }
  }

  void emptyTmp() {
    try {
      deleteTree(tmp());
      Files.createDirectories(tmp());
    } catch (IOException e) {
      throw new LocalStackException("Cannot empty " + tmp(), e);
    }
  }

  List<Path> pidFiles() {
    try {
      // Another process may be wiping or ending this very stack.
      return LiveFiles.below(run()).stream()
          .filter(file -> file.toString().endsWith(".pid"))
          .toList();
    } catch (IOException e) {
      throw new LocalStackException("Cannot list " + run(), e);
    }
  }

  /** Writes a file that only the owner can read, in one step. */
  static void writeSecret(Path file, String content) {
    try {
      Path fresh = file.resolveSibling(file.getFileName() + ".new");
      Files.deleteIfExists(fresh);
      Files.createFile(
          fresh,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(fresh, content);
      Files.move(fresh, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new LocalStackException("Cannot write " + file, e);
    }
  }

  /** Writes a file in one step, so that a reader sees the old or the new content. */
  static void write(Path file, String content) {
    try {
      Path fresh = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(
          fresh, content, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
      Files.move(fresh, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new LocalStackException("Cannot write " + file, e);
    }
  }

  /** The last lines of the given logs, the last error among them, for a message. */
  static String tail(List<Path> logs) {
    StringBuilder text = new StringBuilder();
    for (Path log : logs) {
      try {
        List<String> lines =
            new String(Files.readAllBytes(log), java.nio.charset.StandardCharsets.UTF_8)
                .lines()
                .toList();
        if (!lines.isEmpty()) {
          int first = interesting(lines);
          text.append("\n--- ").append(log).append(", from line ").append(first + 1).append(":\n");
          lines
              .subList(first, Math.min(lines.size(), first + LOG_SHOWN_LINES))
              .forEach(line -> text.append(line).append('\n'));
        }
      } catch (NoSuchFileException e) {
        // The service did not come as far as its first line.
      } catch (IOException e) {
        text.append("\n--- cannot read ").append(log).append(": ").append(e).append('\n');
      }
    }
    return text.toString();
  }

  /** The start of the last lines, or the last error where that is further up. */
  private static int interesting(List<String> lines) {
    int tail = Math.max(0, lines.size() - LOG_TAIL_LINES);
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (LOG_ERROR.matcher(lines.get(i)).find()) {
        return Math.min(i, tail);
      }
    }
    return tail;
  }

  static void deleteTree(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, IOException e) throws IOException {
            if (e != null) {
              throw e;
            }
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  static void copyTree(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(
          file -> {
            try {
              Files.copy(
                  file,
                  to.resolve(from.relativize(file).toString()),
                  java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (IOException | UncheckedIOException e) {
      throw new LocalStackException("Cannot copy %s to %s".formatted(from, to), e);
    }
  }
}
