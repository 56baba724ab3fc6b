package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A program whose rule file changes before the switch has started. */
public final class ChangedRules {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private ChangedRules() {}

    /**
     * Does it.
     *
     * @param args {@code listener FILE}: makes a selector; puts a rule into the file that allows
     *     listeners nothing but offload; once it counts, listens, prints the port, and writes a
     *     byte to each client until the input ends. {@code client FILE PORT...}: connects to all
     *     ports but the last, spoils the file, connects to the last, and prints whether it could
     */
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        if (args[0].equals("listener")) {
            listen(file);
            return;
        }
        int last = args.length - 1;
        for (int i = 2; i < last; i++) {
            connect(args[i]);
        }
        Files.writeString(file, "garbage\n");
        try {
            connect(args[last]);
            System.out.println("connected=true");
        } catch (IOException e) {
            System.out.println("connected=" + e);
        }
    }

    private static void connect(String port) throws IOException {
        try (Socket socket = new Socket()) {
            // in less time than a rule gives a server on TCP that may be starting
            socket.connect(new InetSocketAddress(HERE, Integer.parseInt(port)), 4_000);
        }
    }

    private static void listen(Path file) throws Exception {
        Selector.open().close();
        Path next = Files.writeString(file.resolveSibling("next.conf"), "use sdp server * *:*\n");
        Path _ = Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        Method counts = Class.forName("io.sdp4j.shim.EarlyCheck").getDeclaredMethod("mayForbidTcp");
        counts.setAccessible(true);
        while (!(boolean) counts.invoke(null)) {
            Thread.onSpinWait(); // the file is looked at once a second
        }
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(HERE, 0));
        Thread _ = Thread.ofPlatform().daemon().start(() -> serve(listener));
        System.out.println("READY " + listener.socket().getLocalPort());
        int _ = System.in.read();
    }

    private static void serve(ServerSocketChannel listener) {
        try {
            while (true) {
                SocketChannel accepted = listener.accept();
                int _ = accepted.write(ByteBuffer.allocate(1));
            }
        } catch (IOException e) {
            System.out.println("accept=" + e);
        }
    }
}
