package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.testing.JvmCommand;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Round trips and message rates of bare queue pairs between two JVMs, beside TCP and AF_UNIX.
 *
 * <p>{@code java ... ShmPing [spin|nospin|onecore|pairs|chunks|all]...}; starts the JVMs itself.
 */
@SuppressWarnings({"CatchAndPrintStackTrace", "ThreadPriorityCheck"}) // a program, not a library
public final class ShmPing {
    private static final int SIZE = 64;
    private static final QpSpec SPEC = new QpSpec(64, 8208, 64);

    private ShmPing() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("-server")) {
            server(args);
        } else if (args.length > 0 && args[0].equals("-client")) {
            client(args);
        } else {
            List<String> modes = new ArrayList<>(List.of(args));
            if (modes.isEmpty() || modes.contains("all")) {
                modes = List.of("spin", "nospin", "onecore", "pairs");
            }
            for (String mode : modes) {
                run(mode);
            }
        }
    }

    private static void run(String mode) throws Exception {
        int pairs = mode.equals("pairs") ? 4 : 1;
        List<Process> servers = new ArrayList<>();
        List<Process> clients = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            Path dir = Files.createTempDirectory("shmping");
            Files.setPosixFilePermissions(
                    dir, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
            int port = 40000 + (int) (ProcessHandle.current().pid() % 10000) + i;
            servers.add(start(mode, "-server", dir, port));
            clients.add(start(mode, "-client", dir, port));
        }
        for (Process c : clients) {
            c.waitFor(120, TimeUnit.SECONDS);
            c.destroyForcibly();
        }
        for (Process s : servers) {
            s.destroyForcibly();
            s.waitFor();
        }
    }

    private static Process start(String mode, String role, Path dir, int port) throws IOException {
        return JvmCommand.of(ShmPing.class, role, mode, dir.toString(), String.valueOf(port))
                .under(mode.equals("onecore") ? List.of("taskset", "-c", "0") : List.of())
                .options("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx128m")
                .builder()
                .inheritIO()
                .start();
    }

    private static ShmFabric fabric(String mode, Path dir) throws FabricException {
        EventLoop loop = EventLoop.start("loop", Throwable::printStackTrace);
        ShmConfig config = ShmConfig.defaults().withDirectory(dir);
        if (mode.equals("nospin")) {
            config = config.withSpin(0, 0);
        }
        return ShmFabric.open(config, loop);
    }

    // ---- server

    private static void server(String[] args) throws Exception {
        String mode = args[1];
        Path dir = Path.of(args[2]);
        int port = Integer.parseInt(args[3]);
        InetAddress local = InetAddress.getLoopbackAddress();
        ServerSocket tcp = new ServerSocket(port, 50, local);
        ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        unix.bind(UnixDomainSocketAddress.of(dir.resolve("unix-ping")));
        ShmFabric fabric = fabric(mode, dir);
        BlockingQueue<QueuePair> made = new ArrayBlockingQueue<>(10000);
        fabric.listen(
                new ListenRequest(
                        new InetSocketAddress(local, port),
                        false,
                        request ->
                                request.accept(
                                        SPEC,
                                        request.privateData(),
                                        new Taker(made::add, Throwable::printStackTrace))));
        Thread t = new Thread(() -> tcpServer(tcp));
        t.start();
        Thread u = new Thread(() -> unixServer(unix));
        u.start();
        for (; ; ) {
            QueuePair qp = made.take();
            echo(qp);
            qp.close();
        }
    }

    private static void tcpServer(ServerSocket tcp) {
        try {
            for (; ; ) {
                try (Socket s = tcp.accept()) {
                    s.setTcpNoDelay(true);
                    DataInputStream in = new DataInputStream(s.getInputStream());
                    byte[] b = new byte[SIZE];
                    try {
                        for (; ; ) {
                            in.readFully(b);
                            s.getOutputStream().write(b);
                        }
                    } catch (IOException e) {
                        // next
                    }
                }
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static void unixServer(ServerSocketChannel unix) {
        try {
            for (; ; ) {
                try (SocketChannel s = unix.accept()) {
                    ByteBuffer b = ByteBuffer.allocateDirect(SIZE);
                    while (fill(s, b)) {
                        s.write(b.flip());
                    }
                }
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static boolean fill(SocketChannel s, ByteBuffer b) throws IOException {
        b.clear();
        while (b.hasRemaining()) {
            if (s.read(b) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Echoes messages that start with 1, swallows those with 0, until the end. */
    private static void echo(QueuePair qp) {
        CompletionQueue cq = qp.completions();
        Completion c = new Completion();
        byte[] b = new byte[8208];
        for (; ; ) {
            while (!cq.poll(c)) {
                cq.await(Long.MAX_VALUE);
            }
            if (c.opcode != Completion.RECEIVE) {
                return;
            }
            int n = c.byteLen;
            MemorySegment.copy(qp.receiveMemory(), JAVA_BYTE, qp.receiveOffset(c.slot), b, 0, n);
            qp.postReceive(c.slot);
            if (b[0] == 1) {
                send(qp, b, n);
            }
        }
    }

    private static void send(QueuePair qp, byte[] b, int n) {
        int slot;
        while ((slot = qp.takeSendSlot()) < 0) {
            // as a blocked writer does, who would sleep until a credit comes
            Thread.yield();
        }
        MemorySegment.copy(b, 0, qp.sendMemory(), JAVA_BYTE, qp.sendOffset(slot), n);
        qp.postSend(slot, n, 0);
    }

    // ---- client

    private static void client(String[] args) throws Exception {
        String mode = args[1];
        Path dir = Path.of(args[2]);
        int port = Integer.parseInt(args[3]);
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        ShmFabric fabric = fabric(mode, dir);
        QueuePair qp = null;
        while (qp == null) {
            try {
                qp = connect(fabric, remote);
            } catch (FabricException e) {
                Thread.sleep(50);
            }
        }
        StringBuilder out = new StringBuilder();
        if (mode.equals("chunks")) {
            chunks(qp);
            System.exit(0);
        }
        int rounds = 5;
        long[][] all = new long[3][rounds];
        long[][] tails = new long[3][rounds];
        try (Socket tcp = new Socket(remote.getAddress(), port);
                SocketChannel unix =
                        SocketChannel.open(UnixDomainSocketAddress.of(dir.resolve("unix-ping")))) {
            tcp.setTcpNoDelay(true);
            for (int r = -2; r < rounds; r++) {
                long[][] one = {shm(qp), tcp(tcp), unix(unix)};
                for (int k = 0; k < 3 && r >= 0; k++) {
                    all[k][r] = one[k][0];
                    tails[k][r] = one[k][1];
                }
            }
        }
        String[] names = {"shm", "tcp", "unix"};
        for (int k = 0; k < 3; k++) {
            Arrays.sort(all[k]);
            Arrays.sort(tails[k]);
            out.append(
                    String.format(
                            Locale.ROOT,
                            "%-9s %-5s 64 B round trip p50 %.2f us (%.2f..%.2f) p99 %.2f us%n",
                            mode,
                            names[k],
                            all[k][rounds / 2] / 1e3,
                            all[k][0] / 1e3,
                            all[k][rounds - 1] / 1e3,
                            tails[k][rounds / 2] / 1e3));
        }
        out.append(
                String.format(
                        Locale.ROOT,
                        "%-9s shm   p50 %.1fx tcp, p99 %.1fx tcp%n",
                        mode,
                        (double) all[1][rounds / 2] / all[0][rounds / 2],
                        (double) tails[1][rounds / 2] / tails[0][rounds / 2]));
        for (int size : new int[] {64, 1024, 8208}) {
            rate(qp, size, 100_000);
            long best = 0;
            for (int i = 0; i < 3; i++) {
                best = Math.max(best, rate(qp, size, 300_000));
            }
            out.append(
                    String.format(
                            Locale.ROOT,
                            "%-9s shm   one way %d B: %.2f M/s, %.2f GB/s%n",
                            mode,
                            size,
                            best / 1e6,
                            best * (double) size / 1e9));
        }
        qp.close();
        if (!mode.equals("pairs")) {
            out.append(setUp(mode, fabric, remote));
        }
        System.out.print(out);
        System.exit(0);
    }

    /** How the median of short runs is distributed over ten seconds, beside what else ran. */
    private static void chunks(QueuePair qp) throws Exception {
        int[] hist = new int[8];
        double[] bounds = {0.5, 1, 2, 4, 6, 8, 16};
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        long[] busy = new long[8];
        while (System.nanoTime() < end) {
            double us = shm(qp, 500)[0] / 1e3;
            int k = 0;
            while (k < bounds.length && us > bounds[k]) {
                k++;
            }
            hist[k]++;
            if (hist[k] % 16 == 0) {
                String load = Files.readString(Path.of("/proc/loadavg"));
                busy[k] +=
                        Integer.parseInt(
                                load.substring(load.indexOf(' ', 10) + 1, load.indexOf('/')));
            }
        }
        for (int k = 0; k < hist.length; k++) {
            System.out.printf(
                    Locale.ROOT,
                    "chunks    p50 up to %s us: %d, mean runnable %.1f%n",
                    k < bounds.length ? bounds[k] : "more",
                    hist[k],
                    16.0 * busy[k] / Math.max(1, hist[k]));
        }
    }

    private static String setUp(String mode, ShmFabric fabric, InetSocketAddress remote)
            throws Exception {
        int n = 3000;
        long[] shm = new long[n];
        long[] tcp = new long[n];
        long[] none = new long[n];
        InetSocketAddress unused = new InetSocketAddress(remote.getAddress(), 9);
        for (int i = 0; i < n; i++) {
            long t = System.nanoTime();
            connect(fabric, remote).close();
            shm[i] = System.nanoTime() - t;
            t = System.nanoTime();
            new Socket(remote.getAddress(), remote.getPort()).close();
            tcp[i] = System.nanoTime() - t;
            t = System.nanoTime();
            try {
                connect(fabric, unused);
            } catch (FabricException e) {
                none[i] = System.nanoTime() - t;
            }
        }
        shm = Arrays.copyOfRange(shm, n / 2, n);
        tcp = Arrays.copyOfRange(tcp, n / 2, n);
        none = Arrays.copyOfRange(none, n / 2, n);
        n /= 2;
        Arrays.sort(shm);
        Arrays.sort(tcp);
        Arrays.sort(none);
        return String.format(
                Locale.ROOT,
                "%-9s connect+close p50: shm %.1f us, tcp %.1f us; no listener %.1f us%n",
                mode,
                shm[n / 2] / 1e3,
                tcp[n / 2] / 1e3,
                none[n / 2] / 1e3);
    }

    private static QueuePair connect(ShmFabric fabric, InetSocketAddress remote)
            throws FabricException {
        return fabric.connect(Ends.request(remote, new byte[10], SPEC, 5)).queuePair();
    }

    private static final int TRIPS = 20_000;

    private static long[] shm(QueuePair qp) {
        return shm(qp, TRIPS);
    }

    private static long[] shm(QueuePair qp, int trips) {
        CompletionQueue cq = qp.completions();
        Completion c = new Completion();
        long[] t = new long[trips];
        byte[] b = new byte[SIZE];
        b[0] = 1;
        for (int i = 0; i < trips; i++) {
            long start = System.nanoTime();
            send(qp, b, SIZE);
            while (!cq.poll(c)) {
                cq.await(Long.MAX_VALUE);
            }
            MemorySegment.copy(qp.receiveMemory(), JAVA_BYTE, qp.receiveOffset(c.slot), b, 0, SIZE);
            qp.postReceive(c.slot);
            t[i] = System.nanoTime() - start;
        }
        return figures(t);
    }

    private static long rate(QueuePair qp, int size, int count) {
        byte[] b = new byte[size];
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            send(qp, b, size);
        }
        b[0] = 1;
        send(qp, b, size);
        Completion c = new Completion();
        while (!qp.completions().poll(c)) {
            qp.completions().await(Long.MAX_VALUE);
        }
        qp.postReceive(c.slot);
        return (long) (count / ((System.nanoTime() - start) / 1e9));
    }

    private static long[] tcp(Socket s) throws IOException {
        DataInputStream in = new DataInputStream(s.getInputStream());
        DataOutputStream out = new DataOutputStream(s.getOutputStream());
        long[] t = new long[TRIPS];
        byte[] b = new byte[SIZE];
        for (int i = 0; i < TRIPS; i++) {
            long start = System.nanoTime();
            out.write(b);
            in.readFully(b);
            t[i] = System.nanoTime() - start;
        }
        return figures(t);
    }

    private static long[] unix(SocketChannel s) throws IOException {
        ByteBuffer b = ByteBuffer.allocateDirect(SIZE);
        long[] t = new long[TRIPS];
        for (int i = 0; i < TRIPS; i++) {
            long start = System.nanoTime();
            b.clear();
            s.write(b);
            fill(s, b);
            t[i] = System.nanoTime() - start;
        }
        return figures(t);
    }

    private static long[] figures(long[] t) {
        Arrays.sort(t);
        return new long[] {t[t.length / 2], t[t.length / 100 * 99]};
    }
}
