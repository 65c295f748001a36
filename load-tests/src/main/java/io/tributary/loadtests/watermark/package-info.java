/**
 * Whether the watermark tells the truth: transactions of all lengths on servers whose clocks differ
 * and are set back and forth, and at each announced time a look for all that was committed before
 * it.
 */
package io.tributary.loadtests.watermark;
