package io.tributary.registry;

import java.util.regex.Pattern;

/** Tells property names and texts that carry secrets, so that they are refused and never shown. */
final class SecretGuard {
  private static final Pattern SECRET_NAME =
      Pattern.compile(
          ".*(password|passwd|passphrase|secret|jaas\\.config|private[._-]?key|keystore\\.key|credential$|(^|[._-])token$|account\\.key|encryption\\.key|(^|[._-])sas([._-]|$)|(^|[._-])pass$|user\\.info).*",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern CREDENTIAL =
      Pattern.compile(
          ".*(:[^\\s:@/][^\\s:@]*@|(password|passwd|pwd|secret|token)\\s*[=:]).*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private SecretGuard() {}

  /** Whether the value of a property of this name is a secret. */
  static boolean isSecretName(String property) {
    return SECRET_NAME.matcher(property).matches();
  }

  /** Whether the text carries a credential, such as a URL with a password in it. */
  static boolean holdsCredential(String text) {
    return CREDENTIAL.matcher(text).matches();
  }
}
