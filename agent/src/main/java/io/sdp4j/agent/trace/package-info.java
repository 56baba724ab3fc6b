/** Contents of a trace file: in words, as JSON, as a sequence diagram, as frames for Wireshark. */
package io.sdp4j.agent.trace;
