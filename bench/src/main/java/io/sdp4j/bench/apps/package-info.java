/**
 * The programs of {@code bench apps}: servers and clients that other people wrote, in JVMs as a
 * user starts them.
 */
package io.sdp4j.bench.apps;
