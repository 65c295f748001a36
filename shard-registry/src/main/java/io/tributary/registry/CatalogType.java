package io.tributary.registry;

/** The Iceberg catalogs whose commit is a true compare-and-set, as the ledger needs it. */
public enum CatalogType {
  /** Hive metastore, committing without its locks. */
  HIVE("hive");

  private final String word;

  CatalogType(String word) {
    this.word = word;
  }

  /** The word in the registry and in Iceberg's catalog property {@code type}. */
  public String word() {
    return word;
  }
}
