/** What a table's state, its status topic and Flink say together. */
package io.tributary.cli.status;
