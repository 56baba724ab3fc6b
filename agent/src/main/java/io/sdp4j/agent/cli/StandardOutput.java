package io.sdp4j.agent.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Standard output that ends the command when nothing can be written any more: a {@code
 * PrintWriter}, which reports no {@code IOException}, would go on for as long as there is output.
 */
final class StandardOutput extends OutputStream {
    // of a file's mode, stat(2)
    private static final int TYPE_MASK = 0xf000;
    private static final int PIPE = 0x1000;
    private static final int SOCKET = 0xc000;

    // of proc_pid_fdinfo(5), in octal digits
    private static final String FLAGS = "flags:";
    private static final int NONBLOCK = 04000;

    private final OutputStream out = new FileOutputStream(FileDescriptor.out);
    private boolean over; // what is buffered still comes here

    /** The reader has seen enough, as {@code head} has. */
    static final class ReaderGone extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        if (over) {
            return;
        }
        try {
            out.write(bytes, from, count);
        } catch (IOException e) {
            over = true;
            if (hasReader()) {
                throw new ReaderGone();
            }
            throw new Unavailable("standard output was not written in full: " + Failures.reason(e));
        }
    }

    /**
     * Whether it is a pipe or a socket that waits for its reader. (The failure's message is in the
     * user's language.)
     */
    private static boolean hasReader() {
        try {
            int mode = (int) Files.getAttribute(Path.of("/proc/self/fd/1"), "unix:mode");
            int type = mode & TYPE_MASK;
            return (type == PIPE || type == SOCKET) && waits();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }

    private static boolean waits() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo/1"))) {
            if (line.startsWith(FLAGS)) {
                return (Integer.parseInt(line.substring(FLAGS.length()).strip(), 8) & NONBLOCK)
                        == 0;
            }
        }
        return false;
    }
}
