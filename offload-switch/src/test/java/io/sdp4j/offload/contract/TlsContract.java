package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** TLS layered over a connection: behaviour 33. */
interface TlsContract extends Sockets {
    @Test
    @DisplayName("33: TLS layered over a connection")
    default void layeredTls() throws Exception {
        SSLContext tls = Tls.context();
        byte[] sent = Expect.bytes(8 << 20, 11);
        try (var p = pair()) {
            Task<byte[]> server =
                    Task.start(
                            Task.Kind.VIRTUAL,
                            () -> {
                                SSLSocket s =
                                        (SSLSocket)
                                                tls.getSocketFactory()
                                                        .createSocket(p.server(), null, false);
                                byte[] got = s.getInputStream().readNBytes(sent.length);
                                s.getOutputStream().write(got);
                                assertEquals(-1, s.getInputStream().read());
                                s.close();
                                return got;
                            });
            try (SSLSocket c = layered(tls, p.client())) {
                Task<byte[]> reader = Task.start(() -> c.getInputStream().readNBytes(sent.length));
                c.getOutputStream().write(sent);
                assertArrayEquals(sent, reader.get());
                c.shutdownOutput();
            }
            assertArrayEquals(sent, server.get());
        }
    }

    private static SSLSocket layered(SSLContext tls, Socket plain) throws IOException {
        return (SSLSocket)
                tls.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
    }
}
