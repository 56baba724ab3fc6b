package io.sdp4j.resolve;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Walks the messages of a netlink datagram, the attributes of a message, and the attributes inside
 * an attribute. All three are records that begin with their length.
 *
 * <p>Shape, in host byte order, records aligned to 4 bytes:
 *
 * {@snippet lang = text :
 *  message    | length 4 | type 2 | flags 2 | sequence 4 | port id 4 | body ...
 *  attribute  | length 2 | type 2 (14 bits) | value ...
 * }
 *
 * A length includes the header, but not the padding. A length that exceeds the bytes that are there
 * leads to a {@link NetlinkException}; nothing outside the record is ever read.
 *
 * <p>Source: {@code linux/netlink.h}. Not thread-safe.
 */
final class NetlinkReader {
    static final int MESSAGE_HEADER_BYTES = 16;
    static final int ATTRIBUTE_HEADER_BYTES = 4;
    private static final int TYPE_MASK = 0x3FFF;

    private final ByteBuffer all;
    private final boolean messages;
    private int next;
    private int at;
    private int end;

    private NetlinkReader(ByteBuffer all, boolean messages) {
        this.all = all.slice().order(ByteOrder.nativeOrder());
        this.messages = messages;
    }

    static NetlinkReader messages(byte[] datagram) {
        return new NetlinkReader(ByteBuffer.wrap(datagram), true);
    }

    static NetlinkReader attributes(ByteBuffer region) {
        return new NetlinkReader(region, false);
    }

    /** Goes to the next record; false at the end. */
    boolean next() throws NetlinkException {
        int header = messages ? MESSAGE_HEADER_BYTES : ATTRIBUTE_HEADER_BYTES;
        int left = all.limit() - next;
        if (left <= 0) {
            return false;
        }
        if (left < header) {
            if (!messages) {
                return false; // padding behind the last one
            }
            throw malformed(left + " bytes are less than a header");
        }
        at = next;
        long length = messages ? all.getInt(at) & 0xFFFF_FFFFL : all.getShort(at) & 0xFFFF;
        if (length < header || length > left) {
            throw malformed("a record of " + length + " bytes among " + left);
        }
        end = at + (int) length;
        next = Math.min(all.limit(), at + (((int) length + 3) & ~3));
        return true;
    }

    int type() {
        return messages ? all.getShort(at + 4) & 0xFFFF : all.getShort(at + 2) & TYPE_MASK;
    }

    /** Of a message. */
    int flags() {
        return all.getShort(at + 6) & 0xFFFF;
    }

    /** Of a message. */
    int sequence() {
        return all.getInt(at + 8);
    }

    /** Bytes after the header. */
    ByteBuffer body() {
        int header = messages ? MESSAGE_HEADER_BYTES : ATTRIBUTE_HEADER_BYTES;
        return all.slice(at + header, end - at - header).order(ByteOrder.nativeOrder());
    }

    byte[] bytes() {
        ByteBuffer body = body();
        byte[] copy = new byte[body.remaining()];
        body.get(copy);
        return copy;
    }

    int integer() throws NetlinkException {
        ByteBuffer body = body();
        if (body.remaining() < 4) {
            throw malformed("a number of " + body.remaining() + " bytes");
        }
        return body.getInt(0);
    }

    static NetlinkException malformed(String what) {
        return new NetlinkException(0, "malformed netlink message: " + what);
    }
}
