package io.tributary.coordinator.iceberg;

import io.tributary.protocol.TableProposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;

/** Translates a table proposal into Iceberg's words and compares it with a table. */
final class ProposalCheck {
  private ProposalCheck() {}

  /**
   * @throws IllegalArgumentException when the proposal is no usable schema
   */
  static Schema schema(TableProposal proposal) {
    Schema schema;
    try {
      schema = SchemaParser.fromJson(proposal.schemaJson());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "Cannot use a table proposal: expected an Iceberg schema, found " + e.getMessage(), e);
    }
    for (String column : List.of(proposal.shardColumn(), proposal.bucketColumn())) {
      if (schema.findField(column) == null) {
        throw new IllegalArgumentException(
            "Cannot use a table proposal: expected column %s among its columns, found %s"
                .formatted(column, schema.columns().stream().map(NestedField::name).toList()));
      }
    }
    if (!schema.identifierFieldNames().contains(proposal.shardColumn())) {
      throw new IllegalArgumentException(
          "Cannot use a table proposal: expected column %s among its identifier fields, found %s"
              .formatted(proposal.shardColumn(), schema.identifierFieldNames()));
    }
    return schema;
  }

  static PartitionSpec spec(TableProposal proposal, Schema schema) {
    return PartitionSpec.builderFor(schema)
        .identity(proposal.shardColumn())
        .bucket(proposal.bucketColumn(), proposal.bucketCount())
        .build();
  }

  /** How a table differs from the proposal; empty when it fits. Columns are compared by name. */
  static List<String> differences(TableProposal proposal, Schema found, PartitionSpec foundSpec) {
    Schema wanted = schema(proposal);
    List<String> differences = new ArrayList<>();
    for (NestedField column : wanted.columns()) {
      NestedField there = found.findField(column.name());
      if (there == null) {
        differences.add("expected column " + text(column) + ", found none");
      } else if (!text(column).equals(text(there))) {
        differences.add("expected column " + text(column) + ", found " + text(there));
      }
    }
    for (NestedField column : found.columns()) {
      if (wanted.findField(column.name()) == null) {
        differences.add("expected no column " + column.name() + ", found " + text(column));
      }
    }
    addLayoutDifferences(differences, proposal, wanted, found, foundSpec);
    return differences;
  }

  /**
   * What keeps a table from ever taking the rows of a proposal, whatever columns are added to it or
   * widened; empty when nothing does.
   */
  static List<String> contradictions(TableProposal proposal, Schema found, PartitionSpec spec) {
    Schema wanted = schema(proposal);
    List<String> contradictions = new ArrayList<>();
    for (NestedField column : wanted.columns()) {
      NestedField there = found.caseInsensitiveFindField(column.name());
      if (there == null) {
        if (column.isRequired()) {
          contradictions.add("expected column " + text(column) + ", found none");
        }
      } else if (!there.name().equals(column.name())
          || !promotable(column.type(), there.type())
          || column.isOptional() && there.isRequired()) {
        contradictions.add("expected column " + text(column) + ", found " + text(there));
      }
    }
    for (NestedField column : found.columns()) {
      if (column.isRequired() && wanted.findField(column.name()) == null) {
        contradictions.add(
            "expected no required column " + column.name() + ", found " + text(column));
      }
    }
    addLayoutDifferences(contradictions, proposal, wanted, found, spec);
    return contradictions;
  }

  private static boolean promotable(Type one, Type other) {
    return one.isPrimitiveType()
        && other.isPrimitiveType()
        && (TypeUtil.isPromotionAllowed(one, other.asPrimitiveType())
            || TypeUtil.isPromotionAllowed(other, one.asPrimitiveType()));
  }

  private static void addLayoutDifferences(
      List<String> differences,
      TableProposal proposal,
      Schema wanted,
      Schema found,
      PartitionSpec foundSpec) {
    Set<String> wantedKey = new TreeSet<>(wanted.identifierFieldNames());
    Set<String> foundKey = new TreeSet<>(found.identifierFieldNames());
    if (!wantedKey.equals(foundKey)) {
      differences.add("expected identifier fields " + wantedKey + ", found " + foundKey);
    }
    List<String> foundFields =
        foundSpec.fields().stream().map(field -> text(field, found)).toList();
    if (!proposal.partitionFields().equals(foundFields)) {
      differences.add(
          "expected partition fields " + proposal.partitionFields() + ", found " + foundFields);
    }
  }

  private static String text(NestedField field) {
    return field.name()
        + " "
        + field.type().toString().toLowerCase(Locale.ROOT)
        + (field.isOptional() ? "" : " not null");
  }

  private static String text(PartitionField field, Schema schema) {
    return field.transform() + "(" + schema.findColumnName(field.sourceId()) + ")";
  }
}
