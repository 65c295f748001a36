/**
 * The coordinator's decisions: pure, without Flink, Kafka, Iceberg, clock or thread.
 *
 * <p>{@link io.tributary.coordinator.core.CoordinatorCore} takes {@link
 * io.tributary.coordinator.core.Event}s and answers with {@link
 * io.tributary.coordinator.core.Action}s. A message of the control topic is judged by {@code
 * HelloJudge} or {@code Admission} against the group's {@code GroupBook}; {@code RoundPlanner}
 * makes a {@link io.tributary.coordinator.core.RoundPlan} of what is admitted, {@code LayerStack}
 * says which slices may share an Iceberg snapshot, {@code WatermarkRule} what the table's watermark
 * is, and {@code Membership} who owns which shard. {@link io.tributary.coordinator.core.Protection}
 * names the rules one by one, so that a simulation can leave each out and see it missed.
 */
package io.tributary.coordinator.core;
