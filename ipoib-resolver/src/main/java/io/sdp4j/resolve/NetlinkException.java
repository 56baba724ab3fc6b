package io.sdp4j.resolve;

import java.io.IOException;

/** The kernel refused a question, or what it said makes no sense. */
final class NetlinkException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * @param errno the kernel's, above 0; 0 = the answer makes no sense
     */
    NetlinkException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
