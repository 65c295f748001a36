package io.tributary.coordinator.core;

import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;

/** The last message on the commit-status topic. */
public record StatusTail(TableUuid tableUuid, RoundNumber round, Term term) {}
