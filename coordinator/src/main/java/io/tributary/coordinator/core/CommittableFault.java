package io.tributary.coordinator.core;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.HaltCode;
import java.util.Objects;

/**
 * What reading a committable's manifests brought to light: nothing of it may be committed.
 *
 * @param code {@link HaltCode#MISSING_FILES}, {@link HaltCode#NOT_OWNED}, {@link
 *     HaltCode#FOREIGN_DELETES}, {@link HaltCode#UNREADABLE} or {@link HaltCode#WRONG_LAYOUT}
 * @param found what was expected and what was found, with paths: "expected ..., found ..."
 */
public record CommittableFault(GroupName group, Epoch epoch, HaltCode code, String found) {
  public CommittableFault {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(epoch, "epoch");
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(found, "found");
  }
}
