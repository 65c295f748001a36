package io.tributary.localstack.server;

import java.util.List;
import org.apache.hadoop.hive.metastore.FileFormatProxy;
import org.apache.hadoop.hive.metastore.PartitionExpressionProxy;
import org.apache.hadoop.hive.metastore.api.FileMetadataExprType;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.serde2.typeinfo.PrimitiveTypeInfo;

/**
 * Stands where Hive's query engine would evaluate partition filters. Iceberg tables have no Hive
 * partitions, so a call means that somebody uses this metastore for something it is not.
 */
public final class PartitionExpressions implements PartitionExpressionProxy {

  @Override
  public String convertExprToFilter(byte[] expression) throws MetaException {
    throw new MetaException(refusal());
  }

  @Override
  public boolean filterPartitionsByExpr(
      List<String> partitionColumnNames,
      List<PrimitiveTypeInfo> partitionColumnTypes,
      byte[] expression,
      String defaultPartitionName,
      List<String> partitionNames)
      throws MetaException {
    throw new MetaException(refusal());
  }

  @Override
  public FileMetadataExprType getMetadataType(String inputFormat) {
    return null;
  }

  @Override
  public FileFormatProxy getFileFormatProxy(FileMetadataExprType type) {
    throw new UnsupportedOperationException(refusal());
  }

  @Override
  public SearchArgument createSarg(byte[] expression) {
    throw new UnsupportedOperationException(refusal());
  }

  private static String refusal() {
    return "Cannot filter Hive partitions: expected Iceberg tables only in this metastore";
  }
}
