package io.sdp4j.samples;

import com.sun.management.OperatingSystemMXBean;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;

/**
 * One end of the conversation between {@link StreamClient} and {@link StreamServer}.
 *
 * <p>The client leads. It opens each phase with a request of 13 bytes, big-endian: {@code op(1)
 * size(4) amount(8)}.
 *
 * <ul>
 *   <li>{@link #PING}: blocks of {@code size} bytes come back one by one; a first byte of 0 marks
 *       the last.
 *   <li>{@link #UP}: blocks of {@code size} bytes, each headed by its number, the last one's
 *       negated; answered by the bytes seen and the CPU nanoseconds the phase took (8 + 8 bytes).
 *   <li>{@link #DOWN}: the server sends such blocks for {@code amount} milliseconds, then its CPU
 *       nanoseconds (8 bytes).
 *   <li>{@link #CHECK}: {@code amount} pseudo-random bytes each way in writes of {@code size}, both
 *       directions hashed at both ends, then the server's two digests (received, sent).
 *   <li>{@link #QUIT}: no answer.
 * </ul>
 *
 * Timed blocks carry numbers, so that a lost or repeated one is noticed without slowing the phase;
 * {@link #CHECK} looks at every byte.
 *
 * <p>Not thread-safe.
 */
final class StreamPeer {
    static final int PING = 'P';
    static final int UP = 'U';
    static final int DOWN = 'D';
    static final int CHECK = 'V';
    static final int QUIT = 'Q';

    private static final OperatingSystemMXBean OS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    final InputStream in;
    final OutputStream out;
    final DataInputStream dataIn;
    final DataOutputStream dataOut;

    StreamPeer(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
        dataIn = new DataInputStream(in);
        dataOut = new DataOutputStream(out);
    }

    /** CPU time of this process so far, all threads, in nanoseconds. */
    static long cpuNanos() {
        return OS.getProcessCpuTime();
    }

    void request(int op, int sizeBytes, long amount) throws IOException {
        out.write(ByteBuffer.allocate(13).put((byte) op).putInt(sizeBytes).putLong(amount).array());
    }

    /** Sends numbered blocks until {@code nanos} have passed; returns how many bytes that were. */
    long sendBlocks(byte[] block, long nanos) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(block);
        long end = System.nanoTime() + nanos;
        long number = 1;
        while (System.nanoTime() - end < 0) {
            header.putLong(0, number++);
            out.write(block);
        }
        header.putLong(0, -number);
        out.write(block);
        return number * block.length;
    }

    /** Takes numbered blocks until the last one; returns the bytes, or throws on a wrong number. */
    long takeBlocks(byte[] block) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(block);
        long expected = 1;
        while (true) {
            readFully(block);
            long number = header.getLong(0);
            if (Math.abs(number) != expected) {
                throw new IOException("block " + expected + " expected, got " + number);
            }
            if (number < 0) {
                return expected * block.length;
            }
            expected++;
        }
    }

    /** Sends {@code amount} pseudo-random bytes of {@code seed}; returns their SHA-256. */
    byte[] sendRandom(long seed, long amount, int sizeBytes) throws IOException {
        MessageDigest sha = sha256();
        SplittableRandom random = new SplittableRandom(seed);
        byte[] block = new byte[sizeBytes];
        for (long left = amount; left > 0; ) {
            int n = (int) Math.min(left, block.length);
            random.nextBytes(block);
            sha.update(block, 0, n);
            out.write(block, 0, n);
            left -= n;
        }
        return sha.digest();
    }

    /** Reads {@code amount} bytes; returns their SHA-256. */
    byte[] takeAndHash(long amount, int sizeBytes) throws IOException {
        MessageDigest sha = sha256();
        byte[] block = new byte[sizeBytes];
        for (long left = amount; left > 0; ) {
            int n = in.read(block, 0, (int) Math.min(left, block.length));
            if (n < 0) {
                throw new EOFException(left + " bytes before the end");
            }
            sha.update(block, 0, n);
            left -= n;
        }
        return sha.digest();
    }

    void readFully(byte[] block) throws IOException {
        int n = in.readNBytes(block, 0, block.length);
        if (n < block.length) {
            throw new EOFException("after " + n + " of " + block.length + " bytes");
        }
    }

    static byte[] randomBlock(long seed, int sizeBytes) {
        byte[] block = new byte[sizeBytes];
        new SplittableRandom(seed).nextBytes(block);
        return block;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible); // every Java platform has SHA-256
        }
    }
}
