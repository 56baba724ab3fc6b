package io.sdp4j.trace;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * A connection, as a trace has it; from a file, so never to be believed.
 *
 * @param number 1 and above
 * @param connecting whether the traced end connected
 * @param local address of the traced end
 * @param remote address of the other
 * @param fabric its name, printable
 * @param helloNanos when Hello was sent or received, since the trace began
 * @param ackNanos when HelloAck was
 * @param hello its first bytes
 * @param helloAck its first bytes
 */
public record TraceConnection(
        int number,
        boolean connecting,
        InetSocketAddress local,
        InetSocketAddress remote,
        String fabric,
        long helloNanos,
        long ackNanos,
        MemorySegment hello,
        MemorySegment helloAck) {}
