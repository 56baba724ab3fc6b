/**
 * Sockets and channels over the Sockets Direct Protocol, for a program or one component of it, and
 * a way to stay on kernel TCP.
 */
@NullMarked
package io.sdp4j.api;

import org.jspecify.annotations.NullMarked;
