package io.sdp4j.agent.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes a pcapng file with one Ethernet interface and times in nanoseconds.
 *
 * <p>Source: draft-ietf-opsawg-pcapng: section header, interface description and enhanced packet
 * blocks. For one thread; the stream is the caller's.
 */
final class PcapngFile {
    private static final int SECTION_HEADER = 0x0A0D_0D0A;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    private static final short OPTION_USER_APPLICATION = 4;
    private static final short OPTION_TIME_RESOLUTION = 9;
    private static final short OPTION_FLAGS = 2;
    private static final byte NANOSECONDS = 9;
    private static final short ETHERNET = 1;
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;
    private static final int BLOCK_FRAME_BYTES = 12;
    private static final int FLAGS_OPTION_BYTES = 12; // and the end of the options

    private final OutputStream out;

    PcapngFile(OutputStream out) throws IOException {
        this.out = out;
        byte[] name = "sdp4j trace".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer section = begin(SECTION_HEADER, 16 + 4 + padded(name.length) + 4);
        section.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
        section.putShort(OPTION_USER_APPLICATION).putShort((short) name.length).put(name);
        section.position(section.position() + padded(name.length) - name.length).putInt(0);
        end(section);
        ByteBuffer description = begin(INTERFACE_DESCRIPTION, 8 + 8 + 4);
        description.putShort(ETHERNET).putShort((short) 0).putInt(0);
        description.putShort(OPTION_TIME_RESOLUTION).putShort((short) 1).put(NANOSECONDS);
        description.position(description.position() + 3).putInt(0);
        end(description);
    }

    /**
     * Adds a frame.
     *
     * @param nanos since 1970
     * @param inbound whether the traced end received it
     * @param frame without the Ethernet checksum
     * @param hiddenBytes how much longer it was on the wire
     */
    void frame(long nanos, boolean inbound, byte[] frame, int hiddenBytes) throws IOException {
        ByteBuffer block = begin(ENHANCED_PACKET, 20 + padded(frame.length) + FLAGS_OPTION_BYTES);
        block.putInt(0).putInt((int) (nanos >>> 32)).putInt((int) nanos);
        int wireBytes = (int) Math.min(Integer.MAX_VALUE, (long) frame.length + hiddenBytes);
        block.putInt(frame.length).putInt(wireBytes).put(frame);
        block.position(block.position() + padded(frame.length) - frame.length);
        block.putShort(OPTION_FLAGS).putShort((short) 4).putInt(inbound ? INBOUND : OUTBOUND);
        block.putInt(0);
        end(block);
    }

    private static int padded(int bytes) {
        return (bytes + 3) & ~3;
    }

    private static ByteBuffer begin(int type, int bodyBytes) {
        int length = BLOCK_FRAME_BYTES + bodyBytes;
        return ByteBuffer.allocate(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(type)
                .putInt(length);
    }

    private void end(ByteBuffer block) throws IOException {
        block.putInt(block.capacity());
        assert !block.hasRemaining();
        byte[] bytes = new byte[block.capacity()];
        block.get(0, bytes);
        out.write(bytes);
    }
}
