package io.sdp4j.e2e.programs;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.Sdp;
import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import io.sdp4j.api.SdpSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Listeners of the API's in a JVM that has the agent, too, whose switch starts after them: each
 * takes a byte over what it is for.
 */
public final class ExplicitBesideAgent {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private ExplicitBesideAgent() {}

    public static void main(String[] args) throws Exception {
        SdpConfig both = SdpConfig.builder().rules("use both server * *:*\n").build();
        try (SdpProvider provider = SdpProvider.open(both);
                ServerSocket only = Sdp.openServerSocket();
                ServerSocket either = provider.openServerSocket()) {
            only.bind(ANY);
            either.bind(ANY);
            startAgent();
            System.out.println("sdp=" + take(only, Sdp.openSocket()));
            System.out.println("tcp=" + take(either, KernelSockets.openSocket()));
        }
        System.out.println("asynchronous=" + takeAsynchronously());
    }

    /**
     * Has the agent's switch start, and waits until a later listener, which is the agent's, speaks
     * SDP.
     */
    private static void startAgent() throws IOException {
        long startNanos = System.nanoTime();
        try (ServerSocket later = new ServerSocket()) {
            later.bind(ANY);
            AsynchronousSocketChannel.open().close();
            for (boolean speaks = false; !speaks; ) {
                try (Socket client = Sdp.openSocket()) {
                    client.connect(later.getLocalSocketAddress(), 1000);
                    speaks = true;
                } catch (IOException e) {
                    if (System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(40)) {
                        throw e;
                    }
                }
            }
        }
    }

    private static String take(ServerSocket listener, Socket client) throws IOException {
        listener.setSoTimeout(20_000);
        try (client) {
            client.connect(listener.getLocalSocketAddress(), 20_000);
            try (Socket server = listener.accept()) {
                client.getOutputStream().write(42);
                int got = server.getInputStream().read();
                return got + " " + ((SdpSocket) server).connectionInfo().orElseThrow().fabric();
            }
        }
    }

    /** By a handler, which a thread of the group calls. */
    private static String takeAsynchronously() throws Exception {
        try (AsynchronousServerSocketChannel listener =
                        Sdp.openAsynchronousServerSocketChannel(null);
                AsynchronousSocketChannel client = Sdp.openAsynchronousSocketChannel(null)) {
            Future<AsynchronousSocketChannel> accepted = listener.bind(ANY).accept();
            client.connect(listener.getLocalAddress()).get(20, TimeUnit.SECONDS);
            try (AsynchronousSocketChannel server = accepted.get(20, TimeUnit.SECONDS)) {
                CompletableFuture<Integer> read = new CompletableFuture<>();
                ByteBuffer got = ByteBuffer.allocate(1);
                server.read(got, read, new Completes());
                client.write(ByteBuffer.wrap(new byte[] {42})).get(20, TimeUnit.SECONDS);
                read.get(20, TimeUnit.SECONDS);
                ConnectionInfo info = Sdp.provider().connectionInfo(server).orElseThrow();
                return got.get(0) + " " + info.fabric();
            }
        }
    }

    private static final class Completes
            implements CompletionHandler<Integer, CompletableFuture<Integer>> {
        @Override
        public void completed(Integer result, CompletableFuture<Integer> read) {
            read.complete(result);
        }

        @Override
        public void failed(Throwable failure, CompletableFuture<Integer> read) {
            read.completeExceptionally(failure);
        }
    }
}
