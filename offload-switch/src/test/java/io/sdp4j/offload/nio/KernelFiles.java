package io.sdp4j.offload.nio;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import sun.nio.ch.ConnectionChannel;

/**
 * Has the kernel send files. Not in the test's file, as Maven looks for tests where the JDK's
 * internals are closed.
 */
final class KernelFiles {
    private KernelFiles() {}

    /** From its beginning; what was sent. */
    static long send(SocketChannel to, FileChannel file, int count) throws IOException {
        return ((ConnectionChannel) to).kernel().send(file, 0, count);
    }
}
