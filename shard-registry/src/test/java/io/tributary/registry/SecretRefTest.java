package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretRefTest {
  private static final String CANARY = "canary-7f3a";

  @TempDir Path folder;

  @Test
  void aVariableIsReadOnlyWhenAsked() {
    SecretRef ref = new SecretRef.EnvironmentVariable("DB_PASSWORD");
    assertThat(ref.resolve(Map.of("DB_PASSWORD", CANARY)::get)).isEqualTo(CANARY);
    assertThat(ref).hasToString("secret in environment variable DB_PASSWORD");
  }

  @Test
  void anUnsetOrEmptyVariableIsNamed() {
    SecretRef ref = new SecretRef.EnvironmentVariable("DB_PASSWORD");
    assertThatThrownBy(() -> ref.resolve(name -> null))
        .isInstanceOf(SecretUnavailableException.class)
        .hasMessage(
            "Cannot read a secret: expected environment variable DB_PASSWORD to be set in this"
                + " process, found it unset");
    assertThatThrownBy(() -> ref.resolve(name -> "")).hasMessageEndingWith("found it empty");
  }

  @Test
  void aFileIsReadEachTimeWithoutItsLastLineBreak() throws Exception {
    Path file = folder.resolve("secret");
    SecretRef ref = new SecretRef.SecretFile(file.toString());
    Files.writeString(file, CANARY + "\n");
    assertThat(ref.resolve()).isEqualTo(CANARY);
    Files.writeString(file, CANARY + " two\r\n");
    assertThat(ref.resolve()).isEqualTo(CANARY + " two");
    assertThat(ref).hasToString("secret in file " + file);
  }

  @Test
  void aMissingEmptyOrBrokenFileIsNamedWithoutItsContent() throws Exception {
    Path file = folder.resolve("secret");
    SecretRef ref = new SecretRef.SecretFile(file.toString());
    assertThatThrownBy(ref::resolve)
        .isInstanceOf(SecretUnavailableException.class)
        .hasMessage(
            "Cannot read a secret: expected a readable UTF-8 file of at most 65536 bytes at "
                + file
                + ", found none");
    Files.writeString(file, "\n");
    assertThatThrownBy(ref::resolve).hasMessageEndingWith("found an empty one");
    Files.write(file, (CANARY + "\u00e9").getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(ref::resolve)
        .hasMessageEndingWith("found one that fails with MalformedInputException")
        .hasNoCause();
  }

  @Test
  void aSecretInThePlaceOfItsNameIsRefusedAndNotShown() {
    assertThatThrownBy(() -> new SecretRef.EnvironmentVariable(CANARY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(CANARY);
    assertThatThrownBy(() -> new SecretRef.SecretFile(CANARY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(CANARY);
  }

  @Test
  void neitherPrintNorJsonNorSerializedFormHoldsTheSecret() throws Exception {
    Path file = folder.resolve("secret");
    Files.writeString(file, CANARY);
    PassThroughProperties properties =
        new PassThroughProperties(
            Map.of(
                "ssl.key.password",
                new PropertyValue.Secret(new SecretRef.SecretFile(file.toString())),
                "ssl.protocol",
                new PropertyValue.Plain("TLSv1.3")));
    assertThat(properties.resolve()).containsEntry("ssl.key.password", CANARY);
    assertThat(properties.plainOnly()).containsExactly(Map.entry("ssl.protocol", "TLSv1.3"));
    assertThat(properties.holdsSecrets()).isTrue();
    assertThat(properties.toString()).contains(file.toString()).doesNotContain(CANARY);

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(properties);
    }
    assertThat(bytes.toString(StandardCharsets.ISO_8859_1))
        .contains("secret")
        .doesNotContain(CANARY);
  }
}
