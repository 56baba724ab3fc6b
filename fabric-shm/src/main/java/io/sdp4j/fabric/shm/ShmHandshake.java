package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.QpSpec;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The three messages that set up a connection over its Unix-domain socket.
 *
 * <p>Shape: fixed sizes, big-endian. The active side sends {@link Hello}, and with it the TCP
 * socket that holds its address. The passive side answers with {@link Reply}, and with it the
 * descriptor of the memory, and its own end of the TCP connection if the {@link Hello} moves one.
 * The active side sends ready once it has mapped the memory. From then on every byte is a wake-up,
 * until the connection has ended in order and the passive side sends {@link ShmTransport#FREE}.
 * Then another Hello may follow; {@link #ACCEPTED_AGAIN} completes that hand-shake without ready.
 *
 * {@snippet lang = text :
 *  Hello   0 magic | 4 version | 8 receiveSlots | 12 receiveBytes | 16 sendSlots
 *          20 private data length | 24 address wanted | 64 own address | 104 moves (0, 1)
 *          128 private data
 *  Reply   0 magic | 4 version | 8 receiveSlots | 12 receiveBytes | 16 sendSlots
 *          20 private data length | 24 status | 32 segment bytes | 128 private data
 *  address 0 length (4, 16) | 2 port | 4 scope id | 8 bytes
 * }
 *
 * Errors: {@code parse} returns null for a malformed message; the peer is not told why.
 */
final class ShmHandshake {
    static final int MAX_PRIVATE_BYTES = 512;
    static final int MESSAGE_BYTES = 128 + MAX_PRIVATE_BYTES;
    static final int READY_BYTES = 16;
    static final int VERSION = 5;

    static final int ACCEPTED = 0;
    static final int REJECTED = 1;
    static final int OTHER_VERSION = 2;
    static final int NO_MEMORY = 3;

    /** Accepted, on the memory that both sides have mapped for an earlier connection. */
    static final int ACCEPTED_AGAIN = 4;

    /** The application has not accepted the connection that is to move, or has closed it. */
    static final int NOT_ACCEPTED = 5;

    /** The active side wants more buffers than the passive side allows. */
    static final int TOO_MUCH = 6;

    private static final int HELLO_MAGIC = 0x53445048;
    private static final int REPLY_MAGIC = 0x53445052;
    private static final int READY_MAGIC = 0x53445059;
    private static final int MOVES_AT = 104;

    private ShmHandshake() {}

    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    record Hello(
            int version,
            QpSpec spec,
            InetSocketAddress wanted,
            InetSocketAddress own,
            boolean moves,
            byte[] privateData) {
        byte[] encode() {
            ByteBuffer b = ByteBuffer.allocate(MESSAGE_BYTES);
            b.putInt(0, HELLO_MAGIC).putShort(4, (short) version);
            putSpec(b, spec);
            putAddress(b, 24, wanted);
            putAddress(b, 64, own);
            b.putInt(MOVES_AT, moves ? 1 : 0);
            putPrivate(b, privateData);
            return b.array();
        }

        /**
         * Parses a Hello; null if it is malformed. Of another version only the version number is
         * returned.
         */
        static Hello parse(byte[] bytes) {
            ByteBuffer b = ByteBuffer.wrap(bytes);
            if (b.getInt(0) != HELLO_MAGIC) {
                return null;
            }
            int version = Short.toUnsignedInt(b.getShort(4));
            if (version != VERSION) {
                return new Hello(version, null, null, null, false, new byte[0]);
            }
            QpSpec spec = readSpec(b);
            InetSocketAddress wanted = readAddress(b, 24);
            InetSocketAddress own = readAddress(b, 64);
            byte[] data = readPrivate(b);
            int moves = b.getInt(MOVES_AT);
            if (spec == null || wanted == null || own == null || data == null || moves >>> 1 != 0) {
                return null;
            }
            return new Hello(version, spec, wanted, own, moves == 1, data);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    record Reply(int version, int status, QpSpec spec, long segmentBytes, byte[] privateData) {
        static Reply refusal(int status, byte[] privateData) {
            return new Reply(VERSION, status, new QpSpec(1, 64, 1), 0, privateData);
        }

        byte[] encode() {
            ByteBuffer b = ByteBuffer.allocate(MESSAGE_BYTES);
            b.putInt(0, REPLY_MAGIC).putShort(4, (short) version);
            putSpec(b, spec);
            b.putInt(24, status).putLong(32, segmentBytes);
            putPrivate(b, privateData);
            return b.array();
        }

        static Reply parse(byte[] bytes) {
            ByteBuffer b = ByteBuffer.wrap(bytes);
            if (b.getInt(0) != REPLY_MAGIC) {
                return null;
            }
            int version = Short.toUnsignedInt(b.getShort(4));
            int status = b.getInt(24);
            if (version != VERSION) {
                return new Reply(version, OTHER_VERSION, null, 0, new byte[0]);
            }
            QpSpec spec = readSpec(b);
            byte[] data = readPrivate(b);
            if (spec == null || data == null) {
                return null;
            }
            return new Reply(version, status, spec, b.getLong(32), data);
        }
    }

    static byte[] ready() {
        return ByteBuffer.allocate(READY_BYTES).putInt(0, READY_MAGIC).array();
    }

    static boolean isReady(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getInt(0) == READY_MAGIC;
    }

    private static void putSpec(ByteBuffer b, QpSpec spec) {
        b.putInt(8, spec.receiveSlots());
        b.putInt(12, spec.receiveBytes());
        b.putInt(16, spec.sendSlots());
    }

    private static QpSpec readSpec(ByteBuffer b) {
        try {
            return new QpSpec(b.getInt(8), b.getInt(12), b.getInt(16));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static void putPrivate(ByteBuffer b, byte[] data) {
        b.putInt(20, data.length).put(128, data);
    }

    private static byte[] readPrivate(ByteBuffer b) {
        int len = b.getInt(20);
        if (len < 0 || len > MAX_PRIVATE_BYTES) {
            return null;
        }
        byte[] data = new byte[len];
        b.get(128, data);
        return data;
    }

    private static void putAddress(ByteBuffer b, int at, InetSocketAddress address) {
        byte[] ip = address.getAddress().getAddress();
        b.putShort(at, (short) ip.length).putShort(at + 2, (short) address.getPort());
        if (address.getAddress() instanceof Inet6Address six) {
            b.putInt(at + 4, six.getScopeId());
        }
        b.put(at + 8, ip);
    }

    private static InetSocketAddress readAddress(ByteBuffer b, int at) {
        int len = b.getShort(at);
        if (len != 4 && len != 16) {
            return null;
        }
        byte[] ip = new byte[len];
        b.get(at + 8, ip);
        int scope = b.getInt(at + 4);
        try {
            InetAddress address =
                    len == 16 && scope != 0
                            ? Inet6Address.getByAddress(null, ip, scope)
                            : InetAddress.getByAddress(ip);
            return new InetSocketAddress(address, Short.toUnsignedInt(b.getShort(at + 2)));
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
