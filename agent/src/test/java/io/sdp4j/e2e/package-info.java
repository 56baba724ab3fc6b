/**
 * Real programs, unmodified, each on kernel TCP, offloaded, and with the agent at one end only.
 *
 * <p>Every program runs in a JVM of its own; nothing of sdp4j is called.
 */
package io.sdp4j.e2e;
