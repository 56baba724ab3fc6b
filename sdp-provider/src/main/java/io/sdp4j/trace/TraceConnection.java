package io.sdp4j.trace;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * A connection, as a trace has it. It comes from a file, so it cannot be trusted.
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
        MemorySegment helloAck) {

    private static final int ADDRESS_BYTES = 16;
    private static final int IPV4_AT = 12;

    /** An address in 16 bytes, IPv4 as ::ffff:a.b.c.d; zeros when it is not resolved. */
    public static byte[] mapped(InetSocketAddress address) {
        byte[] mapped = new byte[ADDRESS_BYTES];
        byte[] raw =
                address.isUnresolved()
                        ? new byte[ADDRESS_BYTES]
                        : address.getAddress().getAddress();
        if (raw.length < ADDRESS_BYTES) {
            mapped[IPV4_AT - 2] = (byte) 0xFF;
            mapped[IPV4_AT - 1] = (byte) 0xFF;
        }
        System.arraycopy(raw, 0, mapped, ADDRESS_BYTES - raw.length, raw.length);
        return mapped;
    }
}
