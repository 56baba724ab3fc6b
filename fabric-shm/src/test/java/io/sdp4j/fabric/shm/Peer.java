package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.testing.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The other JVM of a test: a server that echoes on every connection until it is killed. */
public final class Peer {
    static final QpSpec SPEC = new QpSpec(8, 1024, 8);

    /** In place of a directory: wherever one meets without a setting. */
    static final String USUAL = "-";

    private Peer() {}

    /** Starts one. */
    static Process start(Path dir) throws IOException {
        return start(Peer.class, dir);
    }

    /** Starts another program of these tests; it is given directory and {@code more}. */
    static Process start(Class<?> main, Path dir, String... more) throws IOException {
        return builder(main, dir.toString(), more).start();
    }

    /** Starts one whose environment has {@code runtime} as its run-time directory, or none. */
    static Process startUsual(Path runtime) throws IOException {
        ProcessBuilder builder = builder(Peer.class, USUAL);
        builder.environment().remove("XDG_RUNTIME_DIR");
        if (runtime != null) {
            builder.environment().put("XDG_RUNTIME_DIR", runtime.toString());
        }
        return builder.start();
    }

    private static ProcessBuilder builder(Class<?> main, String dir, String... more) {
        List<String> arguments = new ArrayList<>(List.of(dir));
        arguments.addAll(List.of(more));
        return JvmCommand.of(main, arguments.toArray(String[]::new))
                .options("--enable-native-access=ALL-UNNAMED")
                .small()
                .builder()
                .redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** The port it serves, once it does. */
    static int port(Process peer) throws IOException {
        BufferedReader out = peer.inputReader();
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the peer died");
        }
        return Integer.parseInt(line);
    }

    public static void main(String[] args) throws Exception {
        ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ShmFabric fabric = Ends.fabric(args[0].equals(USUAL) ? null : Path.of(args[0]));
        fabric.listen(
                new ListenRequest(
                        (InetSocketAddress) kernel.getLocalSocketAddress(),
                        false,
                        r ->
                                r.accept(
                                        SPEC,
                                        new byte[0],
                                        new Taker(
                                                qp ->
                                                        Thread.ofPlatform()
                                                                .daemon()
                                                                .start(() -> echo(qp)),
                                                failure ->
                                                        System.err.println("peer: " + failure)))));
        System.out.println(kernel.getLocalPort());
        // ends with the test that reads our output and owns our input
        System.exit(System.in.read());
    }

    /** Sends back what comes, without looking at it, until the end. */
    static void echo(QueuePair qp) {
        CompletionQueue cq = qp.completions();
        Completion c = new Completion();
        for (; ; ) {
            while (!cq.poll(c)) {
                cq.await(Long.MAX_VALUE);
            }
            if (c.opcode != Completion.RECEIVE) {
                break;
            }
            qp.postReceive(c.slot);
            int slot = qp.takeSendSlot();
            if (slot >= 0) {
                qp.postSend(slot, Math.min(c.byteLen, qp.sendBytes()), 0);
            }
        }
        qp.close();
    }
}
