/** The words of the commit protocol, and one codec for each message between its parts. */
package io.tributary.protocol;
