/**
 * The shell round the pure machine of {@code io.sdp4j.wire}: one stream is one machine, one queue
 * pair, one completion queue and one lock. The thread that needs progress makes it; an event thread
 * looks after streams that no thread waits in.
 */
package io.sdp4j.stream;
