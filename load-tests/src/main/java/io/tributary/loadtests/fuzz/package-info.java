/**
 * Random tables, values and changes against the whole pipeline: a seed makes the tables and every
 * statement, the product's own jobs read them, are killed and started again, and the table must
 * hold what the server says.
 */
package io.tributary.loadtests.fuzz;
