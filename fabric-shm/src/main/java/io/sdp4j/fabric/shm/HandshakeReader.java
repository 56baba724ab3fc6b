package io.sdp4j.fabric.shm;

import java.io.IOException;

/** The messages of a hand-shake, which may come in pieces. */
final class HandshakeReader {
    /** More than the wake-up bytes that an earlier connection can have left. */
    private static final int MOST_SKIPPED = 4096;

    /** The state of one message. */
    enum Progress {
        COMPLETE,
        NOT_YET,
        /** No more will come. */
        ENDED,
        /** There were more wake-up bytes than an honest client can have left. */
        TOO_MANY
    }

    private final PeerSocket link;

    /** Begins with the message that is complete. */
    final byte[] buffer = new byte[ShmHandshake.MESSAGE_BYTES];

    private int have;
    private int skipped;

    HandshakeReader(PeerSocket link) {
        this.link = link;
    }

    /**
     * Reads what is there of a message.
     *
     * @param lenBytes length of the message
     * @param skip whether wake-up bytes of an earlier connection may come before it: zeros, with
     *     which no message starts
     */
    Progress read(int lenBytes, boolean skip) throws IOException {
        while (have < lenBytes) {
            int n = link.receive(buffer, have, lenBytes - have);
            if (n <= 0) {
                return n < 0 ? Progress.ENDED : Progress.NOT_YET;
            }
            have += n;
            if (skip && !skipWakeBytes()) {
                return Progress.TOO_MANY;
            }
        }
        have = 0;
        return Progress.COMPLETE;
    }

    private boolean skipWakeBytes() {
        int zeros = 0;
        while (zeros < have && buffer[zeros] == 0) {
            zeros++;
        }
        System.arraycopy(buffer, zeros, buffer, 0, have - zeros);
        have -= zeros;
        skipped += zeros;
        return skipped <= MOST_SKIPPED;
    }
}
