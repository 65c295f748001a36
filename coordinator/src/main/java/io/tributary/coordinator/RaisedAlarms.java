package io.tributary.coordinator;

import io.tributary.coordinator.core.Alarm;
import io.tributary.protocol.GroupName;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Which alarms were said already, so that what is tried again and again is said once. */
final class RaisedAlarms {
  private record Subject(Alarm.Code code, Optional<GroupName> group) {}

  private final Map<Subject, String> last = new HashMap<>();

  /**
   * @return whether it differs from the last one of its kind about the same group
   */
  boolean raise(Alarm alarm) {
    return !alarm.text().equals(last.put(new Subject(alarm.code(), alarm.group()), alarm.text()));
  }

  /** What was wrong is not any more: when it comes again it is said again. */
  void over(Alarm.Code code) {
    last.keySet().removeIf(subject -> subject.code() == code);
  }
}
