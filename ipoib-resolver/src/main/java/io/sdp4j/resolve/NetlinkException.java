package io.sdp4j.resolve;

import java.io.IOException;

/** The kernel refused a question, or its answer is malformed or incomplete. */
final class NetlinkException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * @param errno the kernel's error, above 0; 0 = the answer is malformed or incomplete
     */
    NetlinkException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
