package io.sdp4j.fabric.verbs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The device's speed for a program that only posts and polls: the measure of our own streams. Both
 * programs of it, as the benchmark starts them: with a word it serves and prints {@code READY
 * port}; with a port it obeys one command a line, like the benchmark's other clients:
 *
 * <ul>
 *   <li>{@code sink SIZE WARM_MS MEASURE_MS}: {@code SIZE} bytes a time, one way, in messages as
 *       long as a stream's, with as many buffers and as few answers, and without a copy;
 *   <li>{@code channel-sink SIZE WARM_MS MEASURE_MS}: RDMA reads of SIZE bytes in a row, in pieces
 *       as large as a stream's, the other side idle; with the property {@code bare.told} one at a
 *       time, each announced by the other side and answered, as SDP does it with a buffer that a
 *       blocking write lends: the cost of that for any program;
 *   <li>{@code connect-only WARM_MS MEASURE_MS}: until the connection is established; with a rest
 *       after each, in which the other side ends it, too.
 * </ul>
 *
 * <p>{@code cpu} is what the whole machine was busy, per byte, because software devices work in the
 * kernel's own threads.
 */
public final class BareVerbs {
    static final int MESSAGE_BYTES = 65_552;
    static final int PAYLOAD_BYTES = MESSAGE_BYTES - 16;
    static final int READ_BYTES = 1_048_576;
    private static final int READS = 2;
    private static final boolean TOLD = Boolean.getBoolean("bare.told");
    private static final int REQUEST_BYTES = 1 + Long.BYTES + BareEnd.PLACE_BYTES;
    private static final int REST_MS = 5;
    private static final double JIFFY_NANOS = 1e7;

    private final RdmaCm cm = new RdmaCm();
    private final Ibv ibv = new Ibv();
    private final InetAddress host;
    private final int port;

    private BareVerbs(int port) throws IOException {
        host = InetAddress.getByName(System.getProperty("sdp4j.bench.address"));
        this.port = port;
    }

    public static void main(String[] args) throws Exception {
        if (Character.isDigit(args[0].charAt(0))) {
            new BareVerbs(Integer.parseInt(args[0])).obey();
        } else {
            // a port of its own, beside those that the others take from the kernel
            new BareVerbs(20_000 + (int) (ProcessHandle.current().pid() % 10_000)).serve();
        }
        System.exit(0);
    }

    // ---- the serving side

    private void serve() throws IOException {
        Thread.ofPlatform().daemon().start(this::listen);
        while (System.in.read() >= 0) {
            // nothing is said to a server but the end
        }
    }

    private void listen() {
        try (Arena arena = Arena.ofConfined()) {
            long channel = cm.createEventChannel();
            long listener = cm.createId(channel);
            BareEnd.check("bind", cm.bindAddr(listener, SockAddr.of(arena, host, port)));
            BareEnd.check("listen", cm.listen(listener, 16));
            System.out.println("READY " + port);
            Map<Long, BareEnd> ends = new HashMap<>();
            while (true) {
                CmEvent e = BareEnd.next(cm, channel);
                switch (e.type()) {
                    case RdmaCmEvent.CONNECT_REQUEST -> {
                        BareEnd end = new BareEnd(cm, ibv, e.id());
                        ends.put(e.id(), end);
                        end.accept();
                        ByteBuffer asked = ByteBuffer.wrap(e.privateData());
                        byte op = asked.get();
                        long n = asked.getLong();
                        end.remote(asked);
                        if (op == 'S') {
                            Thread.ofPlatform().daemon().start(() -> end.receive(n));
                        } else if (op == 'L') {
                            Thread.ofPlatform().daemon().start(() -> end.borrow(n));
                        }
                    }
                    case RdmaCmEvent.DISCONNECTED -> {
                        BareEnd end = ends.remove(e.id());
                        if (end != null) {
                            end.close();
                        }
                    }
                    default -> {
                        // established, or past
                    }
                }
            }
        } catch (IOException | RuntimeException broken) {
            broken.printStackTrace();
            System.exit(1);
        }
    }

    // ---- the measuring side

    private void obey() throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("READY");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                String[] words = line.split(" ", -1);
                int[] n = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
                answer =
                        "ok "
                                + switch (words[0]) {
                                    case "sink" -> flow('S', n[0], n[1], n[2]);
                                    case "channel-sink" -> flow(TOLD ? 'L' : 'R', n[0], n[1], n[2]);
                                    case "connect-only" -> connects(n[0], n[1]);
                                    default -> throw new IOException("unknown command " + line);
                                };
            } catch (IOException | RuntimeException | AssertionError failed) {
                failed.printStackTrace();
                answer = "failed " + failed.toString().replace('\n', ' ');
            }
            System.out.println(answer);
        }
    }

    private String flow(char op, int sizeBytes, int warmMs, int measureMs) throws IOException {
        long begun = System.nanoTime();
        long units = 16;
        double[] seen = flow(op, sizeBytes, units);
        while (System.nanoTime() - begun < warmMs * 1_000_000L) {
            if (seen[0] < 50_000_000) {
                units *= 2;
            }
            seen = flow(op, sizeBytes, units);
        }
        units = Math.max(16, (long) (units / seen[0] * measureMs * 1e6));
        seen = flow(op, sizeBytes, units);
        double bytes = (double) units * sizeBytes;
        return String.format(
                Locale.ROOT,
                "writes=%.1f bytes=%.1f cpu=%.5f alloc=0 n=%d",
                units * 1e9 / seen[0],
                bytes * 1e9 / seen[0],
                seen[1] / bytes,
                units);
    }

    /** Nanoseconds of time and of processor time. */
    private double[] flow(char op, int sizeBytes, long units) throws IOException {
        int perUnit = Math.ceilDiv(sizeBytes, PAYLOAD_BYTES);
        long messages = Math.ceilDiv(units * perUnit, BareEnd.CREDITS) * BareEnd.CREDITS;
        long pieces = units * sizeBytes / READ_BYTES;
        long channel = cm.createEventChannel();
        BareEnd end = connect(channel, (byte) op, op == 'L' ? pieces : messages);
        double cpu = busyNanos();
        long begun = System.nanoTime();
        if (op == 'S') {
            end.send(messages);
        } else if (op == 'L') {
            end.lend(pieces);
        } else {
            end.read(pieces, READS);
        }
        double[] seen = {System.nanoTime() - begun, busyNanos() - cpu};
        end.disconnect();
        while (BareEnd.next(cm, channel).type() != RdmaCmEvent.DISCONNECTED) {
            // the end of the connection is the last
        }
        end.close();
        cm.destroyEventChannel(channel);
        return seen;
    }

    /** From another port where TCP has the one that the connection manager drew. */
    private BareEnd connect(long channel, byte op, long count) throws IOException {
        for (int left = VerbsFabric.PORTS_TRIED; ; left--) {
            BareEnd end = start(channel, op, count, left == 1);
            if (end != null) {
                byte[] place = BareEnd.expect(cm, channel, RdmaCmEvent.ESTABLISHED).privateData();
                end.remote(ByteBuffer.wrap(place));
                return end;
            }
        }
    }

    /** Null if the port is taken and this is not the last attempt. */
    private BareEnd start(long channel, byte op, long count, boolean last) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long id = cm.createId(channel);
            BareEnd.check(
                    "resolve",
                    cm.resolveAddr(id, MemorySegment.NULL, SockAddr.of(arena, host, port), 2_000));
            BareEnd.expect(cm, channel, RdmaCmEvent.ADDR_RESOLVED);
            BareEnd.check("route", cm.resolveRoute(id, 2_000));
            BareEnd.expect(cm, channel, RdmaCmEvent.ROUTE_RESOLVED);
            BareEnd end = new BareEnd(cm, ibv, id);
            byte[] request =
                    ByteBuffer.allocate(REQUEST_BYTES)
                            .put(op)
                            .putLong(count)
                            .put(end.place())
                            .array();
            if (end.connect(request, last)) {
                return end;
            }
            end.close();
            return null;
        }
    }

    private String connects(int warmMs, int measureMs) throws IOException {
        connects(new long[1 << 16], warmMs, false);
        long[] nanos = new long[1 << 16];
        int n = connects(nanos, measureMs, true);
        Arrays.sort(nanos, 0, n);
        return String.format(
                Locale.ROOT, "p50=%d p99=%d n=%d", nanos[n / 2], nanos[(int) (n * 0.99)], n);
    }

    private int connects(long[] nanos, int forMs, boolean pauses) throws IOException {
        long channel = cm.createEventChannel();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
        int n = 0;
        do {
            long before = System.nanoTime();
            BareEnd end = connect(channel, (byte) 'C', 0);
            nanos[n++] = System.nanoTime() - before;
            end.greet(); // where the initiator speaks first it must have spoken before it ends
            end.disconnect();
            BareEnd.expect(cm, channel, RdmaCmEvent.DISCONNECTED);
            end.close();
            if (pauses) {
                rest();
            }
        } while (n < nanos.length && System.nanoTime() < until);
        cm.destroyEventChannel(channel);
        return n;
    }

    /** The benchmark's other clients rest as long. */
    private static void rest() throws IOException {
        try {
            Thread.sleep(REST_MS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Time that the machine's processors were busy so far. */
    private static double busyNanos() throws IOException {
        String[] f = Files.readAllLines(Path.of("/proc/stat")).getFirst().split(" +", -1);
        long busy = 0;
        for (int i = 1; i < Math.min(f.length, 9); i++) {
            busy += i == 4 || i == 5 ? 0 : Long.parseLong(f[i]); // idle and waiting for disks
        }
        return busy * JIFFY_NANOS;
    }
}
