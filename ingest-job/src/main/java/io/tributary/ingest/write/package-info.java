/** Writes rows to files of the table; hands over what was written at each checkpoint barrier. */
package io.tributary.ingest.write;
