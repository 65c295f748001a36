/**
 * What an edit of the registry would do, before it is published: the edit against the published
 * registry and against what the tables hold. Only {@link io.tributary.cli.plan.TableSurvey} asks
 * anybody; all else is computed, by the coordinator's own rules where it is the coordinator that
 * decides.
 */
package io.tributary.cli.plan;
