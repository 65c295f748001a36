/**
 * Faults at random moments on real processes under a live workload, and the check of what came out.
 * {@link io.tributary.loadtests.chaos.Chaos} runs it; {@link
 * io.tributary.loadtests.chaos.FaultSchedule} says which faults, {@link
 * io.tributary.loadtests.chaos.FaultRunner} does them, {@link
 * io.tributary.loadtests.chaos.CommitJournal} and {@link io.tributary.loadtests.chaos.TableHistory}
 * check each watermark.
 */
package io.tributary.loadtests.chaos;
