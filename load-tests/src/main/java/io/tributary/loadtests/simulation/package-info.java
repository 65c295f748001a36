/** A seeded simulation of jobs, coordinators, table and topics around the production cores. */
package io.tributary.loadtests.simulation;
