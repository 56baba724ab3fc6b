package io.sdp4j.bench.nio;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * Where the parts of the answering JVM listen, all on {@link Place#here}.
 *
 * @param channels channels that block
 * @param selectors channels in selectors
 * @param kernel as {@code selectors}, on {@link #kernelHere()}
 * @param netty Netty
 * @param http the JDK's HTTP server
 */
record Ports(int channels, int selectors, int kernel, int netty, int http) {
    /** A loopback address that the benchmark's rules always leave to the kernel. */
    static InetAddress kernelHere() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
    }

    /** A new connection, in blocking mode. */
    static SocketChannel connect(InetAddress address, int port) throws IOException {
        return SocketChannel.open(new InetSocketAddress(address, port));
    }

    /** For {@link #parse}. */
    String text() {
        return channels + "," + selectors + "," + kernel + "," + netty + "," + http;
    }

    static Ports parse(String text) {
        String[] ports = text.split(",", -1);
        return new Ports(
                Integer.parseInt(ports[0]),
                Integer.parseInt(ports[1]),
                Integer.parseInt(ports[2]),
                Integer.parseInt(ports[3]),
                Integer.parseInt(ports[4]));
    }
}
