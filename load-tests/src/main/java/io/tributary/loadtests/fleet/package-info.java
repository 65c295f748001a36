/**
 * Many groups on one cluster: whether they all work, and what they cost.
 *
 * <p>The verbs are run as processes of their own, as an operator runs them.
 */
package io.tributary.loadtests.fleet;
