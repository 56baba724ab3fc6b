package java.net;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The input of an {@link EarlySocketImpl}; the switch's once that has gone on with it. */
final class EarlySocketInput extends InputStream {
    private final EarlySocketImpl socket;
    private final InputStream kernel;
    private InputStream switched; // null until it is known

    EarlySocketInput(EarlySocketImpl socket, InputStream kernel) {
        this.socket = socket;
        this.kernel = kernel;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        InputStream in = switched;
        if (in == null) {
            Objects.checkFromIndexSize(off, len, b.length);
            if (len == 0) {
                return 0;
            }
            int n = socket.read(kernel, b, off, len);
            if (n != 0) {
                return n;
            }
            in = socket.next.getInputStream();
            switched = in;
        }
        return in.read(b, off, len);
    }

    @Override
    public int available() throws IOException {
        return socket.available();
    }
}
