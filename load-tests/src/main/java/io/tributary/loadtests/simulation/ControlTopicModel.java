package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.TableFindings;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.SchemaRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The control topic: records in order; old ones are deleted from the front. */
final class ControlTopicModel {
  private final List<Optional<ControlMessage>> records = new ArrayList<>();
  private final TreeMap<Long, SchemaRequest> requests = new TreeMap<>();

  /** Of a topic that was deleted. */
  private final List<SchemaRequest> formerRequests = new ArrayList<>();

  private long first;

  long append(ControlMessage message) {
    if (message instanceof SchemaRequest request) {
      requests.put(end(), request);
    }
    records.add(Optional.of(message));
    return records.size() - 1L;
  }

  long first() {
    return first;
  }

  long end() {
    return records.size();
  }

  /** Empty for a record that was lost. */
  Optional<ControlMessage> at(long offset) {
    return records.get((int) offset);
  }

  void lose(long offset) {
    records.set((int) offset, Optional.empty());
    requests.remove(offset);
  }

  /** Requests for columns by offset, also those that were deleted from the front. */
  SortedMap<Long, SchemaRequest> requests() {
    return requests;
  }

  List<SchemaRequest> formerRequests() {
    return formerRequests;
  }

  /** Deleted and created again: offsets begin anew. */
  void recreate() {
    records.clear();
    formerRequests.addAll(requests.values());
    requests.clear();
    first = 0;
  }

  /** What each group said, in the records that are kept. */
  TableFindings.ControlRecords heard() {
    TreeMap<GroupName, TableFindings.Heard> groups = new TreeMap<>();
    for (long offset = first; offset < end(); offset++) {
      at(offset)
          .ifPresent(
              message ->
                  groups.merge(
                      message.group(),
                      new TableFindings.Heard(
                          message.incarnation().value(),
                          message instanceof Committable epoch ? epoch.epoch().value() : 0),
                      TableFindings.Heard::and));
    }
    return TableFindings.ControlRecords.of(first, end(), groups);
  }

  void deleteBelow(long offset) {
    first = Math.max(first, Math.min(offset, end()));
  }
}
