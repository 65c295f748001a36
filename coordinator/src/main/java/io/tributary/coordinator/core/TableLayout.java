package io.tributary.coordinator.core;

/**
 * How the table's files are laid out, as read from its metadata: an epoch written for another
 * layout is not admitted.
 *
 * @param specId the default partition spec
 * @param formatVersion the table's format version
 */
public record TableLayout(int specId, int formatVersion) {}
