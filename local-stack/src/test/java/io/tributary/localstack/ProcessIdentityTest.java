package io.tributary.localstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessIdentityTest {

  @TempDir private Path folder;

  @Test
  void aRunningProcessIsAliveAndAnEndedOneIsNot() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    ProcessIdentity identity = ProcessIdentity.of(process.pid()).orElseThrow();
    assertThat(identity.isAlive()).isTrue();
    assertThat(identity.signal("KILL")).isTrue();
    process.waitFor();
    assertThat(identity.isAlive()).isFalse();
    assertThat(identity.signal("KILL")).isFalse();
  }

  @Test
  void anotherProcessWithTheSameNumberIsNotTouched() {
    ProcessIdentity self = ProcessIdentity.ofThisJvm();
    ProcessIdentity predecessor = new ProcessIdentity(self.pid(), self.startTicks() - 1);
    assertThat(predecessor.isAlive()).isFalse();
    assertThat(predecessor.signal("KILL")).isFalse();
  }

  @Test
  void itIsReadFromAFileOfTwoNumbers() throws Exception {
    Path file = folder.resolve("a.pid");
    assertThat(ProcessIdentity.read(file)).isEmpty();
    Files.writeString(file, "12 345\n");
    assertThat(ProcessIdentity.read(file)).contains(new ProcessIdentity(12, 345));
    Files.writeString(file, "12\n");
    assertThatThrownBy(() -> ProcessIdentity.read(file))
        .hasMessageContaining("expected a process number and a start time, found 1 words");
  }
}
