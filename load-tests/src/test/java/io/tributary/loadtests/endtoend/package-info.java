/** End-to-end tests: real servers, real jobs, submitted as a user submits them. */
package io.tributary.loadtests.endtoend;
