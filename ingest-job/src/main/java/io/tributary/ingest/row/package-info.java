/**
 * What a source's rows look like in the table: type mapping, keys, and the conversion of values.
 * Pure: no server, file, clock or connector is touched here, and the build proves it.
 */
package io.tributary.ingest.row;
