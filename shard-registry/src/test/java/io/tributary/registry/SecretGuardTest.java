package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretGuardTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://user:pw@host/db",
        "thrift://u:pw@h:9083",
        "user:pw@host",
        "https://h/x?password=pw",
        "Password: pw",
        "x required username=\"u\" password=\"pw\";"
      })
  void credentialsInTextAreSeen(String text) {
    assertThat(SecretGuard.holdsCredential(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abfss://container@account.dfs.core.windows.net/warehouse",
        "s3a://lake/warehouse",
        "thrift://one:9083,thrift://two:9083",
        "host:9092",
        "kafka/broker@REALM",
        "10:30"
      })
  void harmlessTextIsNot(String text) {
    assertThat(SecretGuard.holdsCredential(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sasl.jaas.config",
        "ssl.keystore.password",
        "ssl.key.password",
        "ssl.keystore.key",
        "s3.secret-access-key",
        "fs.s3a.secret.key",
        "trustCertificateKeyStorePassword",
        "credential",
        "token",
        "oauth.token",
        "sslPrivateKey",
        "fs.azure.account.key.lake.dfs.core.windows.net",
        "fs.azure.sas.container.lake.blob.core.windows.net",
        "fs.s3a.server-side-encryption.key",
        "fs.s3a.proxy.pass",
        "basic.auth.user.info"
      })
  void namesOfSecretsAreSeen(String name) {
    assertThat(SecretGuard.isSecretName(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "security.protocol",
        "sasl.oauthbearer.token.endpoint.url",
        "hadoop.security.credential.provider.path",
        "fs.s3a.access.key",
        "max.batch.size"
      })
  void otherNamesAreNot(String name) {
    assertThat(SecretGuard.isSecretName(name)).isFalse();
  }
}
