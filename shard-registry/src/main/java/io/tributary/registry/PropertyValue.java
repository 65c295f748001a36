package io.tributary.registry;

import java.io.Serializable;
import java.util.Objects;

/** The value of a passed-through property: plain text, or a reference to a secret. */
public sealed interface PropertyValue extends Serializable {

  /** The text to hand to the other system; reads the secret when it is one. */
  String resolve();

  /** A value that anyone may see. */
  record Plain(String text) implements PropertyValue {
    public Plain {
      Objects.requireNonNull(text, "text");
    }

    @Override
    public String resolve() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** A value that is read only where the connection is opened. */
  record Secret(SecretRef ref) implements PropertyValue {
    public Secret {
      Objects.requireNonNull(ref, "ref");
    }

    @Override
    public String resolve() {
      return ref.resolve();
    }

    @Override
    public String toString() {
      return "(" + ref + ")";
    }
  }
}
