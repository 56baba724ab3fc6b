package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.testing.JvmCommand;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A process with one end of a connection whose move stands still there.
 *
 * <p>Roles: ASKS has its stream, and does not take it; TOLD has told its limit and written a byte
 * behind it; ACCEPTS has accepted the connection and read a byte, and does not take its stream.
 */
final class HeldPeer implements AutoCloseable {
    enum Role {
        ASKS,
        TOLD,
        ACCEPTS
    }

    private final Process process;

    /**
     * @param port where to connect to; 0 = it listens
     */
    HeldPeer(Role role, TestFabric fabric, int port) throws IOException {
        String[] options =
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(o -> o.startsWith("--add-") || o.startsWith("--enable-native"))
                        .toArray(String[]::new);
        process =
                JvmCommand.of(
                                HeldPeer.class,
                                role.name(),
                                fabric.directory().toString(),
                                Integer.toString(port))
                        .small()
                        .options(options)
                        .options("-ea", "-Dslf4j.internal.verbosity=ERROR")
                        .builder()
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
    }

    /** Returns once the move stands still. */
    void awaitHeld() throws IOException {
        assertEquals("HELD", process.inputReader().readLine());
    }

    /** The port on which it listens. */
    int port() throws IOException {
        return NeverReadingPeer.port(process);
    }

    void stop() throws Exception {
        Process stopping =
                new ProcessBuilder("kill", "-STOP", Long.toString(process.pid()))
                        .inheritIO()
                        .start();
        assertEquals(0, stopping.waitFor());
    }

    /** Returns once it is gone. */
    void kill() {
        Process _ = process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    // --- the process ---

    public static void main(String[] args) throws Exception {
        Role role = Role.valueOf(args[0]);
        OffloadProvider real = TestFabric.in(Path.of(args[1])).provider();
        SelectorProvider provider = SwitchChannels.provider(TestChannels.moving(held(role, real)));
        if (role == Role.ACCEPTS) {
            accept(provider);
        } else {
            connect(role, provider, Integer.parseInt(args[2]));
        }
        stand();
    }

    private static OffloadProvider held(Role role, OffloadProvider real) {
        return Shims.proxy(
                OffloadProvider.class,
                (_, method, args) -> {
                    if (method.getName().equals("listen")) {
                        return real.listen(held((ListenSpec) args[0]));
                    }
                    Object result = Shims.invoke(method, real, args);
                    if (role == Role.ASKS && method.getName().equals("connect")) {
                        stand();
                    }
                    return result;
                });
    }

    private static ListenSpec held(ListenSpec spec) {
        return new ListenSpec(
                spec.address(),
                spec.dualStack(),
                spec.backlog(),
                spec.fabrics(),
                spec.onPending(),
                Shims.around(
                        AcceptedConnections.class,
                        spec.accepted(),
                        (_, method, _) -> method.getName().equals("moved") ? true : null));
    }

    private static void accept(SelectorProvider provider) throws Exception {
        try (ServerSocketChannel listener = TestChannels.listen(provider)) {
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            SocketChannel server = listener.accept();
            int _ = server.read(ByteBuffer.allocate(1));
            stand();
        }
    }

    private static void connect(Role role, SelectorProvider provider, int port) throws Exception {
        SocketChannel client = provider.openSocketChannel();
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        int _ = client.write(ByteBuffer.allocate(1));
        if (role == Role.TOLD) {
            while (SwitchChannels.explain(client).orElseThrow().bytesWritten() == 0) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            int _ = client.write(ByteBuffer.allocate(1));
            stand();
        }
        untilTheEnd(); // the thread that asks says that it stands
    }

    private static void stand() throws IOException {
        System.out.println("HELD");
        untilTheEnd();
    }

    /** Until this process is killed, or that of the test has ended. */
    private static void untilTheEnd() throws IOException {
        int _ = System.in.read();
        Runtime.getRuntime().halt(0);
    }
}
