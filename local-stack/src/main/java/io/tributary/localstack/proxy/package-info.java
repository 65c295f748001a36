/** A bad network between a client and a server, made to order. */
package io.tributary.localstack.proxy;
