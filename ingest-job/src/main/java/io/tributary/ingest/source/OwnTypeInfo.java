package io.tributary.ingest.source;

import java.util.Objects;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Type information of an immutable value with a serializer of its own; no reflection, no Kryo. */
abstract class OwnTypeInfo<T> extends TypeInformation<T> {
  private final Class<T> type;
  private final TypeSerializer<T> serializer;

  OwnTypeInfo(Class<T> type, TypeSerializer<T> serializer) {
    this.type = Objects.requireNonNull(type, "type");
    this.serializer = Objects.requireNonNull(serializer, "serializer");
  }

  @Override
  public final boolean isBasicType() {
    return false;
  }

  @Override
  public final boolean isTupleType() {
    return false;
  }

  @Override
  public final int getArity() {
    return 1;
  }

  @Override
  public final int getTotalFields() {
    return 1;
  }

  @Override
  public final Class<T> getTypeClass() {
    return type;
  }

  @Override
  public final boolean isKeyType() {
    return false;
  }

  @Override
  public final TypeSerializer<T> createSerializer(SerializerConfig config) {
    return serializer.duplicate();
  }

  @Override
  @Deprecated
  @SuppressWarnings("deprecation")
  public final TypeSerializer<T> createSerializer(ExecutionConfig config) {
    return serializer.duplicate();
  }

  @Override
  public final String toString() {
    return type.getSimpleName();
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof OwnTypeInfo<?> info
        && info.type.equals(type)
        && info.serializer.equals(serializer);
  }

  @Override
  public final int hashCode() {
    return Objects.hash(type, serializer);
  }

  @Override
  public final boolean canEqual(Object other) {
    return other instanceof OwnTypeInfo;
  }
}
