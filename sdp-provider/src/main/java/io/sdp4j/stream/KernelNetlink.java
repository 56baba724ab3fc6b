package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.NetlinkSocket;
import io.sdp4j.resolve.Netlink;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The netlink of this machine's kernel for the resolver: joins the module that understands netlink
 * to the one that makes native calls. Thread-safe.
 *
 * @param loop receives announcements; null = none does, and the resolver reads each time
 */
public record KernelNetlink(EventLoop loop) implements Netlink {
    @Override
    public Socket open(int protocol) throws IOException {
        NetlinkSocket socket = NetlinkSocket.open(protocol);
        return new Socket() {
            @Override
            public void send(byte[] datagram) throws IOException {
                socket.send(datagram);
            }

            @Override
            public byte[] receive() throws IOException {
                return socket.receive();
            }

            @Override
            public void close() {
                socket.close();
            }
        };
    }

    @Override
    public Closeable subscribe(int protocol, int groups, Consumer<byte[]> onDatagram)
            throws IOException {
        if (loop == null) {
            throw new IOException("netlink: no event loop");
        }
        return NetlinkSocket.watch(loop, protocol, groups, onDatagram);
    }
}
