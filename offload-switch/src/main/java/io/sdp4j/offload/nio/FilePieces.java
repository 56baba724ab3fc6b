package io.sdp4j.offload.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import sun.nio.ch.Util;

/** Sends short pieces of a file by an offloaded channel: to map them would take longer. */
final class FilePieces {
    /** Longest transfer of a file that is read in pieces. */
    private static final int READ_RATHER_THAN_MAPPED = 256 << 10;

    private static final int PIECE_BYTES = 64 << 10;

    private FilePieces() {}

    /**
     * See {@link sun.nio.ch.Carrier#send}.
     *
     * @param waits whether the channel blocks
     */
    static long send(FileChannel file, long position, int count, ChannelStream to, boolean waits)
            throws IOException {
        if (count > READ_RATHER_THAN_MAPPED) {
            return -1;
        }
        int bytes = pieceBytes(to, waits, count);
        if (bytes == 0) {
            return 0;
        }
        ByteBuffer piece = Util.getTemporaryDirectBuffer(Math.min(count, PIECE_BYTES));
        try {
            int sent = 0;
            boolean more = true;
            for (; bytes > 0 && more; bytes = pieceBytes(to, waits, count - sent)) {
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

    /** Bytes that a channel that does not block has no room for are not read in vain. */
    private static int pieceBytes(ChannelStream to, boolean waits, int left) {
        return Math.min(left, waits ? PIECE_BYTES : Math.min(to.room(), PIECE_BYTES));
    }
}
