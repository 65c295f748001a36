/** What end-to-end tests run: shards, groups and the registry that describes them. */
package io.tributary.loadtests.endtoend;
