/** The Iceberg table as the ingest job sees it: loaded and read, never changed. */
package io.tributary.ingest.table;
