/** Connections to MySQL servers. */
package io.tributary.cli.mysql;
