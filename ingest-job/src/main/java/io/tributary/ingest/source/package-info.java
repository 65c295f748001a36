/**
 * Reads one server's shards: copy, changes, and an honest statement of where the reading stands.
 *
 * <p>A row's way: {@link io.tributary.ingest.source.ShardSplitReader} fetches change events, {@link
 * io.tributary.ingest.source.ShardRecordEmitter} turns them into rows and says where it stands,
 * {@link io.tributary.ingest.source.PositionOperator} passes rows on and repeats the standing at
 * each barrier. {@link io.tributary.ingest.source.GatedEnumerator} holds all of it until the
 * coordinator has answered the submission's hello.
 */
package io.tributary.ingest.source;
