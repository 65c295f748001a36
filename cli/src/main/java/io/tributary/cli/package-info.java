/** The verbs of {@code bin/tributary}. */
package io.tributary.cli;
