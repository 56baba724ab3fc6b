/** Wires the switch into a JVM and reports what it did. */
package io.sdp4j.agent;
