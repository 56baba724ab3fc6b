package java.net;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** The output of an {@link EarlySocketImpl}; the switch's once that has gone on with it. */
final class EarlySocketOutput extends OutputStream {
    private final EarlySocketImpl socket;
    private final OutputStream kernel;
    private OutputStream switched; // null until it is known

    EarlySocketOutput(EarlySocketImpl socket, OutputStream kernel) {
        this.socket = socket;
        this.kernel = kernel;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        OutputStream out = switched;
        if (out == null) {
            Objects.checkFromIndexSize(off, len, b.length);
            if (len == 0 || socket.write(kernel, b, off, len)) {
                return;
            }
            out = socket.next.getOutputStream();
            switched = out;
        }
        out.write(b, off, len);
    }
}
