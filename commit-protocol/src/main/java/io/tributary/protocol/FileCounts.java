package io.tributary.protocol;

/**
 * Files and the rows in them.
 *
 * @param dataFiles data files, at least 0
 * @param dataRecords rows in data files, at least 0
 * @param equalityDeleteFiles equality-delete files, at least 0
 * @param equalityDeleteRecords rows in equality-delete files, at least 0
 * @param positionDeleteFiles position-delete files, at least 0
 * @param positionDeleteRecords rows in position-delete files, at least 0
 * @param bytes bytes of all these files, at least 0
 */
public record FileCounts(
    long dataFiles,
    long dataRecords,
    long equalityDeleteFiles,
    long equalityDeleteRecords,
    long positionDeleteFiles,
    long positionDeleteRecords,
    long bytes) {
  public static final FileCounts NONE = new FileCounts(0, 0, 0, 0, 0, 0, 0);

  /**
   * @throws IllegalArgumentException when a count is negative
   */
  public FileCounts {
    if (dataFiles < 0
        || dataRecords < 0
        || equalityDeleteFiles < 0
        || equalityDeleteRecords < 0
        || positionDeleteFiles < 0
        || positionDeleteRecords < 0
        || bytes < 0) {
      throw new IllegalArgumentException("Cannot count files: expected no count below 0");
    }
  }

  public FileCounts plus(FileCounts other) {
    return new FileCounts(
        dataFiles + other.dataFiles,
        dataRecords + other.dataRecords,
        equalityDeleteFiles + other.equalityDeleteFiles,
        equalityDeleteRecords + other.equalityDeleteRecords,
        positionDeleteFiles + other.positionDeleteFiles,
        positionDeleteRecords + other.positionDeleteRecords,
        bytes + other.bytes);
  }

  public boolean hasDeletes() {
    return equalityDeleteFiles + positionDeleteFiles > 0;
  }

  public boolean isEmpty() {
    return dataFiles == 0 && !hasDeletes();
  }
}
