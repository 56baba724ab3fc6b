package io.sdp4j.offload.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import sun.nio.ch.Util;

/** A part of a file, read and written piece by piece to an offloaded channel. */
final class FilePieces {
    /** Longest transfer that is read in pieces; mapping so little would take longer. */
    private static final int READ_RATHER_THAN_MAPPED = 256 << 10;

    private static final int PIECE_BYTES = 64 << 10;

    private FilePieces() {}

    /**
     * Sends a part of a file. The caller keeps other threads from writing meanwhile.
     *
     * @param waits whether writes of the stream wait for room
     * @return how many bytes were sent; -1 = none, because a mapping is faster for so many
     */
    static long send(ChannelStream to, boolean waits, FileChannel file, long position, int count)
            throws IOException {
        if (count > READ_RATHER_THAN_MAPPED) {
            return -1;
        }
        int bytes = bytes(to, waits, count);
        if (bytes == 0) {
            return 0;
        }
        ByteBuffer piece = Util.getTemporaryDirectBuffer(Math.min(count, PIECE_BYTES));
        try {
            int sent = 0;
            boolean more = true;
            for (; bytes > 0 && more; bytes = bytes(to, waits, count - sent)) {
                piece.clear().limit(bytes);
                if (file.read(piece, position + sent) <= 0) {
                    break; // the file has become shorter
                }
                piece.flip();
                try {
                    sent += to.write(piece);
                } catch (IOException e) {
                    if (sent == 0) {
                        throw e;
                    }
                    return sent; // the next call is told
                }
                more = !piece.hasRemaining();
            }
            return sent;
        } finally {
            Util.releaseTemporaryDirectBuffer(piece);
        }
    }

    /** Reads no more of the file than a non-blocking channel has room for. */
    private static int bytes(ChannelStream to, boolean waits, int left) {
        return Math.min(left, waits ? PIECE_BYTES : Math.min(to.room(), PIECE_BYTES));
    }
}
