/**
 * Asks every system that a registry names whether it is fit for Tributary: what it says of itself
 * is collected by the {@code ...Survey} classes and judged by the {@code ...Rules} classes.
 */
package io.tributary.cli.check;
