package io.sdp4j.resolve;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A host from {@code hosts/NAME}: its files below a directory, and a kernel that answers with the
 * datagrams of the recording. Addresses that were not recorded have no route.
 *
 * <p>Knows the shape of requests by itself, so that encoders are tested too: a request that the
 * kernel would not understand is an {@link AssertionError}.
 */
final class RecordedHost implements Netlink {
    private static final int ENETUNREACH = 101;

    final Path devices;
    final List<byte[]> links = new ArrayList<>();
    final List<byte[]> addresses = new ArrayList<>();
    final Map<InetAddress, byte[]> routes = new HashMap<>();

    /** Sockets and subscriptions that are open. */
    final AtomicInteger open = new AtomicInteger();

    /** Requests by message type. */
    final Map<Integer, Integer> asked = new HashMap<>();

    final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    volatile boolean dumb;
    volatile boolean deaf;

    record Subscription(int protocol, int groups, Consumer<byte[]> onDatagram) {}

    RecordedHost(String name, Path directory) throws IOException {
        devices = directory.resolve("class/infiniband");
        for (String line : lines(name, "sysfs.txt")) {
            String[] file = line.split(" ", 2);
            write(directory.resolve(file[0]), file[1]);
        }
        for (String line : lines(name, "netlink.txt")) {
            String[] words = line.split(" ", -1);
            byte[] datagram = HexFormat.of().parseHex(words[words.length - 1]);
            switch (words[0]) {
                case "links" -> links.add(datagram);
                case "addresses" -> addresses.add(datagram);
                case "route" -> routes.put(InetAddress.ofLiteral(words[1]), datagram);
                default -> throw new AssertionError(line);
            }
        }
    }

    static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    static void remove(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            for (Path p : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(p);
            }
        }
    }

    private static List<String> lines(String name, String file) throws IOException {
        try (var in = RecordedHost.class.getResourceAsStream("/hosts/" + name + "/" + file)) {
            return new String(
                            Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    DeviceResolver resolver() {
        return new DeviceResolver((l, r) -> List.of(), this, devices);
    }

    void announce(int protocol, byte[] datagram) {
        subscriptions.stream()
                .filter(s -> s.protocol == protocol)
                .forEach(s -> s.onDatagram.accept(datagram));
    }

    int asked(int type) {
        synchronized (asked) {
            return asked.getOrDefault(type, 0);
        }
    }

    @Override
    public Netlink.Socket open(int protocol) throws IOException {
        if (dumb) {
            throw new IOException("not permitted");
        }
        open.incrementAndGet();
        return new Player();
    }

    @Override
    public Closeable subscribe(int protocol, int groups, Consumer<byte[]> onDatagram)
            throws IOException {
        if (deaf) {
            throw new IOException("not permitted");
        }
        Subscription s = new Subscription(protocol, groups, onDatagram);
        subscriptions.add(s);
        open.incrementAndGet();
        return () -> {
            if (subscriptions.remove(s)) {
                open.decrementAndGet();
            }
        };
    }

    private final class Player implements Netlink.Socket {
        private final ArrayDeque<byte[]> queue = new ArrayDeque<>();

        @Override
        public void send(byte[] datagram) {
            ByteBuffer b = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
            check(b.getInt(0) == datagram.length, "length");
            int type = b.getShort(4);
            int flags = b.getShort(6);
            int sequence = b.getInt(8);
            synchronized (asked) {
                asked.merge(type, 1, Integer::sum);
            }
            switch (type) {
                case RouteMessages.GETLINK -> dump(links, flags, sequence);
                case RouteMessages.GETADDR -> dump(addresses, flags, sequence);
                case RouteMessages.GETROUTE -> {
                    check(flags == 1, "flags of a question");
                    byte[] known = routes.get(destination(b));
                    queue.add(numbered(known == null ? noRoute() : known, sequence));
                }
                default -> throw new AssertionError("type " + type);
            }
        }

        private void dump(List<byte[]> datagrams, int flags, int sequence) {
            check(flags == 0x301, "flags of a dump");
            datagrams.forEach(d -> queue.add(numbered(d, sequence)));
        }

        private static InetAddress destination(ByteBuffer b) {
            int bytes = b.get(16) == 2 ? 4 : 16;
            check((b.get(17) & 0xFF) == 8 * bytes, "prefix");
            check(b.getShort(28) == 4 + bytes && b.getShort(30) == 1, "RTA_DST first");
            byte[] address = new byte[bytes];
            b.get(32, address);
            try {
                return InetAddress.getByAddress(address);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public byte[] receive() {
            return queue.poll();
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }

    private static void check(boolean good, String what) {
        if (!good) {
            throw new AssertionError(what);
        }
    }

    private static byte[] noRoute() {
        return ByteBuffer.allocate(36)
                .order(ByteOrder.nativeOrder())
                .putInt(36)
                .putShort((short) RouteMessages.ERROR)
                .putShort((short) 0)
                .putLong(0)
                .putInt(-ENETUNREACH)
                .array();
    }

    /** Every message of the datagram answers the request of that number. */
    private static byte[] numbered(byte[] recorded, int sequence) {
        ByteBuffer b = ByteBuffer.wrap(recorded.clone()).order(ByteOrder.nativeOrder());
        for (int at = 0; at + 16 <= b.limit(); at += (b.getInt(at) + 3) & ~3) {
            b.putInt(at + 8, sequence);
        }
        return b.array();
    }
}
