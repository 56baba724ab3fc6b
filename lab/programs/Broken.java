import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Connections that are going to break, and what is left of them: {@code server ADDRESS PORT} or {@code client ADDRESS
 * PORT}. There are two connections, with SO_KEEPALIVE at both ends: one is full, the client writes as fast as it can; on the
 * other both ends wait for a byte.
 *
 * <p>Before, one connection is opened and closed in order, and what the kernel then still has of RDMA for this host is
 * counted. Prints {@code READY}; {@code UP} when both connections carry bytes; when one ends {@code END WHICH MILLIS
 * WHAT} with the time of day and what the application got; and at last {@code LEFT} with what the kernel has more than
 * before.
 */
final class Broken {
    private static final Pattern COUNT = Pattern.compile("\\b(pd|cq|qp|cm_id|mr) (\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int BLOCK_BYTES = 65_536;
    private static final long UP_BYTES = 4L << 20;

    private final InetSocketAddress address;
    private final ServerSocket listener;

    private Broken(InetSocketAddress address, ServerSocket listener) {
        this.address = address;
        this.listener = listener;
    }

    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket()) {
                listener.bind(address);
                System.out.println("READY");
                new Broken(address, listener).run();
            }
        } else {
            new Broken(address, null).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        try (Socket first = open()) {
            greet(first);
            first.shutdownOutput();
            first.getInputStream().read();
        }
        Map<String, Long> before = atRest();
        try (Socket full = open();
                Socket idle = open()) {
            greet(full);
            greet(idle);
            full.setKeepAlive(true);
            idle.setKeepAlive(true);
            if (listener == null) {
                for (long sent = 0; sent < UP_BYTES; sent += BLOCK_BYTES) {
                    full.getOutputStream().write(new byte[BLOCK_BYTES]);
                }
            } else {
                full.getInputStream().skipNBytes(UP_BYTES);
            }
            System.out.println("UP");
            Thread other = Thread.ofPlatform().start(() -> end("idle", () -> idle.getInputStream().read()));
            end("full", () -> listener == null ? fill(full) : drain(full));
            other.join();
        }
        System.out.println("LEFT " + more(before));
    }

    private Socket open() throws IOException {
        return listener != null ? listener.accept() : new Socket(address.getAddress(), address.getPort());
    }

    /** A byte to and fro: both ends are there. */
    private void greet(Socket socket) throws IOException {
        socket.getOutputStream().write(1);
        if (socket.getInputStream().read() != 1) {
            throw new IOException("not greeted");
        }
    }

    private interface Use {
        int until() throws IOException;
    }

    private void end(String which, Use use) {
        String what;
        try {
            what = Integer.toString(use.until());
        } catch (IOException e) {
            what = e.toString();
        }
        System.out.println("END " + which + " " + System.currentTimeMillis() + " " + what);
    }

    private static int fill(Socket socket) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        while (true) {
            socket.getOutputStream().write(block);
        }
    }

    private static int drain(Socket socket) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        int n = 0;
        while (n >= 0) {
            n = socket.getInputStream().read(block);
        }
        return n;
    }

    /** The kernel's objects, once they do not change any more. */
    private static Map<String, Long> atRest() throws IOException, InterruptedException {
        Map<String, Long> last = resources();
        for (int same = 0; same < 10; Thread.sleep(200)) {
            Map<String, Long> now = resources();
            same = now.equals(last) ? same + 1 : 0;
            last = now;
        }
        return last;
    }

    /** Objects more than before, after some patience. */
    private static List<String> more(Map<String, Long> before) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            List<String> more = new ArrayList<>();
            resources()
                    .forEach(
                            (kind, n) -> {
                                if (n > before.getOrDefault(kind, 0L)) {
                                    more.add(n - before.getOrDefault(kind, 0L) + " " + kind);
                                }
                            });
            if (more.isEmpty() || System.nanoTime() > deadline) {
                return more;
            }
            Thread.sleep(200);
        }
    }

    private static Map<String, Long> resources() throws IOException, InterruptedException {
        Process p = new ProcessBuilder("rdma", "resource", "show").start();
        String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        p.waitFor();
        Map<String, Long> counts = new TreeMap<>();
        Matcher m = COUNT.matcher(out);
        while (m.find()) {
            counts.merge(m.group(1), Long.parseLong(m.group(2)), Long::sum);
        }
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            counts.put("descriptor", descriptors.count());
        }
        return counts;
    }
}
